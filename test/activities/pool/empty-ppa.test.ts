import pino from 'pino';
import { emptyPpa } from '../../../activities/pool/empty-ppa.ts';
import type { Cleaning } from '../../../domain/pool-ppa.ts';
import { shownPackage, type PackageVersion } from '../../../domain/source-file.ts';
import { createPpaClient } from '../../../ppa/client.ts';
import { openStandIn, type OwnStandIn } from '../../support/stand-in.ts';
import { until } from '../../support/until.ts';
import { runActivity } from '../activity.ts';

const PPA = { owner: 'me', distribution: 'debian', name: 'test' };
const SCRIPT = {
  sources: { '*': { builds: { '*': [{ state: 'Successfully built', binaries: true }] } } },
};

let standIn: OwnStandIn;
beforeAll(async () => {
  standIn = await openStandIn({ script: SCRIPT });
});
afterAll(() => standIn.close());

/** Looks at the PPA once. @param ours what landings have uploaded to it */
async function look(ours: PackageVersion[], more: Partial<Cleaning> = {}) {
  const found: PackageVersion[] = [];
  const PpaPast = {
    ofLandings: async () => ours,
    record: async (_: string, packages: readonly PackageVersion[]) => void found.push(...packages),
  };
  const ppaClient = createPpaClient({
    rootUrl: standIn.webUrl,
    credentials: { consumerKey: 'test', accessToken: 'a-token', accessSecret: 'secret' },
    timeoutMs: 60_000,
    logger: pino({ level: 'silent' }),
  });
  const empty = emptyPpa({
    ppaClient,
    database: { PpaPast },
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

test('a PPA that does not exist is nothing to lend', async () => {
  const ppa = { ...PPA, distribution: 'nowhere' };
  expect((await look([], { ppa })).answer).toHaveProperty('problem');
});
