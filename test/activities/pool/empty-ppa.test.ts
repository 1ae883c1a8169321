import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { emptyPpa } from '../../../activities/pool/empty-ppa.ts';
import type { Cleaning } from '../../../domain/landings/pool-ppa.ts';
import { shownPackage, type PackageVersion } from '../../../domain/packages/source-file.ts';
import { createPpaClient } from '../../../ppa/client.ts';
import { isLive } from '../../../ppa/wire.ts';
import { openStandIn, type OwnStandIn } from '../../support/stand-in.ts';
import { until } from '../../support/until.ts';
import { runActivity } from '../activity.ts';

const PPA = { owner: 'me', distribution: 'debian', name: 'test' };
const SUCCESS = { state: 'Successfully built', binaries: true };
const SCRIPT = { sources: { '*': { builds: { '*': [SUCCESS] } } } };

let standIn: OwnStandIn;
beforeAll(async () => {
  standIn = await openStandIn({ script: SCRIPT });
});
afterAll(() => standIn.close());

/** Looks at the PPA once, which is in its second cleaning. @param ours what landings have uploaded to it */
async function look(
  ours: PackageVersion[],
  more: Partial<Cleaning> = {},
  rootUrl = standIn.webUrl,
) {
  const found: PackageVersion[] = [];
  const PpaPast = {
    ofLandings: async () => ours,
    record: async (_: string, packages: readonly PackageVersion[]) => void found.push(...packages),
  };
  const PoolPpa = {
    isInCleaning: async ({ cleaning }: Pick<Cleaning, 'cleaning'>) => cleaning === 2,
  };
  const ppaClient = createPpaClient({
    rootUrl,
    credentials: { consumerKey: 'test', accessToken: 'a-token', accessSecret: 'secret' },
    timeoutMs: 60_000,
    logger: pino({ level: 'silent' }),
  });
  const empty = emptyPpa({
    ppaClient,
    database: { PpaPast, PoolPpa },
    aptUrl: `${standIn.webUrl}/apt`,
    sources: { idleTimeoutMs: 60_000 },
  });
  const input = { ppa: PPA, readsPast: false, lastUse: null, ...more };
  return { answer: await runActivity(empty, input), found: found.map(shownPackage) };
}

test('what a landing has left is deleted, and the apt repository has to forget it', async () => {
  const one = { source: 'tidy', version: '1.0' };
  const made = await standIn.make({ name: 'tidy' });
  await standIn.upload(made.files);
  const publication = await standIn.publication(made);
  await standIn.buildIn(publication, 'Successfully built');
  await until('it is published', async () =>
    (
      await standIn.entries(standIn.archiveUrl(), 'getPublishedSources', { status: 'Published' })
    ).some(({ self_link: link }) => link === publication.self_link),
  );
  const { problem } = (await look([])).answer as { problem: string };
  expect(problem).toBe('it has tidy 1.0, which no landing has uploaded');

  standIn.play({ ...SCRIPT, deletions: { tidy: { refused: 'Not today.' } } });
  expect((await look([one])).answer).toEqual({ problem: 'tidy 1.0 is not deleted: Not today.' });

  standIn.play({ ...SCRIPT, deletions: { tidy: { afterMs: 600_000 } } });
  expect((await look([one])).answer).toEqual({ waitsFor: 'the deletion of tidy 1.0' });
  const lastUse = { series: 'bookworm', packages: [one] };
  expect((await look([one], { lastUse })).answer).toEqual({
    waitsFor: 'its apt repository to forget tidy 1.0',
  });

  standIn.play(SCRIPT);
  await until('its index is empty', async () => {
    const { answer } = await look([one], { lastUse });
    return 'isClean' in answer;
  });
  // Whoever adds the PPA again learns what it had.
  expect(await look([], { readsPast: true })).toEqual({
    answer: { isClean: true },
    found: ['tidy 1.0'],
  });
});

test('what builds have made of a deleted source is deleted, too', async () => {
  const one = { source: 'left', version: '1.0' };
  const build = [{ state: 'Uploading build', untilReleased: true }, SUCCESS];
  const script = { sources: { left: { builds: { '*': build } } } };
  standIn.play(script);
  const made = await standIn.make({ name: 'left' });
  await standIn.upload(made.files);
  const publication = await standIn.publication(made);
  await standIn.buildIn(publication, 'Uploading build');
  expect((await look([one])).answer).toEqual({ waitsFor: 'the deletion of left 1.0' });
  standIn.play({ sources: { left: { released: true, builds: { '*': build } } } });
  await standIn.buildIn(publication, 'Successfully built');
  const binaries = () =>
    standIn.entries(standIn.archiveUrl(), 'getPublishedBinaries', { binary_name: 'left' });
  expect(await binaries()).toMatchObject([{ status: expect.stringMatching(/Pending|Published/) }]);

  expect((await look([])).answer).toEqual({
    problem: 'it has left 1.0, which no landing has uploaded',
  });
  expect((await look([one])).answer).toEqual({ waitsFor: 'the deletion of left 1.0' });
  expect(await binaries()).toMatchObject([{ status: 'Deleted' }]);
  expect((await look([one])).answer).toEqual({ isClean: true });
});

test('what builds have made and Launchpad has not published yet is waited for', async () => {
  const lastUse = { series: 'bookworm', packages: [{ source: 'early', version: '1.0' }] };
  const accepted = {
    self_link: `${standIn.webUrl}/devel/debian/bookworm/+upload/1`,
    status: 'Accepted',
    contains_build: true,
    contains_copy: false,
  };
  const archive = encodeURIComponent('/debian/test');
  const match = ['/debian/bookworm?', 'ws.op=getPackageUploads', archive, 'status=Accepted'];
  const body = JSON.stringify({ entries: [accepted] });
  standIn.play({ ...SCRIPT, web: [{ match, status: 200, body, count: 1 }] });
  expect((await look([], { lastUse })).answer).toEqual({
    waitsFor: 'the publication of what its builds have made',
  });
  expect((await look([], { lastUse })).answer).toEqual({ isClean: true });
});

test('a build of a deleted source has to end, because it leaves packages', async () => {
  const one = { source: 'late', version: '1.0' };
  standIn.play({ sources: { late: { builds: { '*': [{ state: 'Uploading build' }] } } } });
  const made = await standIn.make({ name: 'late' });
  await standIn.upload(made.files);
  await standIn.buildIn(await standIn.publication(made), 'Uploading build');
  await until('its source is deleted', async () => {
    const { answer } = await look([one]);
    return JSON.stringify(answer) !== JSON.stringify({ waitsFor: 'the deletion of late 1.0' });
  });
  expect((await look([one])).answer).toEqual({ waitsFor: 'the end of late 1.0 on amd64' });
});

test('a PPA that is in another cleaning, or that a landing has, is left alone', async () => {
  const one = { source: 'kept', version: '1.0' };
  standIn.play(SCRIPT);
  const made = await standIn.make({ name: 'kept' });
  await standIn.upload(made.files);
  await standIn.publication(made);
  expect((await look([one], { poolPpaId: 3, cleaning: 1 })).answer).toEqual({
    problem: 'it is not in this cleaning any more',
  });
  expect(isLive(String((await standIn.publication(made))['status']))).toBe(true);
  expect((await look([one], { poolPpaId: 3, cleaning: 2 })).answer).toEqual({
    waitsFor: 'the deletion of kept 1.0',
  });
});

test('a PPA that does not exist is nothing to lend', async () => {
  const ppa = { ...PPA, distribution: 'nowhere' };
  expect((await look([], { ppa })).answer).toHaveProperty('problem');
});

/** A Launchpad whose PPAs have had so many versions of a source, all of which are deleted. */
async function openLongPast(versions: number) {
  const past = Array.from({ length: versions }, (_, index) => ({
    self_link: `http://lp/devel/${index}`,
    source_package_name: 'hello',
    source_package_version: String(index),
    status: 'Deleted',
    distro_series_link: 'http://lp/devel/debian/bookworm',
  }));
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', `http://${request.headers.host ?? ''}`);
    const asked = (name: string, otherwise: number) =>
      Number(url.searchParams.get(name) ?? otherwise);
    if (!url.searchParams.has('ws.op')) {
      response.end(JSON.stringify({ reference: '~me/debian/test' }));
      return;
    }
    const isOfBuilds = url.searchParams.get('ws.op') === 'getBuildRecords';
    const status = isOfBuilds ? 'none' : (url.searchParams.get('status') ?? 'Deleted');
    const matching = past.filter((one) => one.status === status);
    const end = asked('ws.start', 0) + asked('ws.size', 50);
    const entries = matching.slice(asked('ws.start', 0), end);
    url.searchParams.set('ws.start', String(end));
    const more = end < matching.length ? { next_collection_link: url.href } : {};
    response.end(JSON.stringify({ entries, ...more }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('a PPA with a long past can be lent', async () => {
  const launchpad = await openLongPast(1_001);
  try {
    const { answer, found } = await look([], { readsPast: true }, launchpad.url);
    expect(answer).toEqual({ isClean: true });
    expect(found).toHaveLength(1_001);
  } finally {
    await launchpad.close();
  }
});
