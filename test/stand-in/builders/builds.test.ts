import { gunzipSync } from 'node:zlib';
import { openStandIn, type Entry, type OwnStandIn } from '../../support/stand-in.ts';
import { until } from '../../support/until.ts';

let standIn: OwnStandIn;
beforeAll(async () => {
  standIn = await openStandIn({ builders: 8 });
});
afterAll(() => standIn.close());

/** Uploads a package that the script knows, and gives its publication. */
const submit = async (name: string, version = '1.0') => {
  const source = await standIn.make({ name, version });
  await standIn.upload(source.files);
  return standIn.publication(source);
};
const buildOf = async (publication: Entry) =>
  (await standIn.entries(publication.self_link, 'getBuilds')).at(0) as Entry;
const logOf = async (build: Entry, field = 'build_log_url') =>
  (await standIn.read(build[field] as string)).text();

describe('a build', () => {
  it('goes through the states of its script, and its log is there at its end', async () => {
    const builds = {
      amd64: [
        { state: 'Needs building', untilReleased: 1 },
        { state: 'Currently building', untilReleased: 2 },
        { state: 'Gathering build output', untilReleased: 3 },
        { state: 'Failed to build', log: 'it went\nwrong\n' },
      ],
    };
    const release = (released: number) =>
      standIn.play({ sources: { fails: { builds, released } } });
    standIn.play({ sources: { fails: { builds } } });
    const publication = await submit('fails');
    const waiting = await standIn.buildIn(publication, 'Needs building');
    expect(waiting).toMatchObject({ build_log_url: null, date_started: null, datebuilt: null });
    release(1);
    const building = await standIn.buildIn(publication, 'Currently building');
    expect(building).toMatchObject({ build_log_url: null, can_be_cancelled: true });
    expect(building['date_started']).not.toBeNull();
    release(2);
    const gathering = await standIn.buildIn(publication, 'Gathering build output');
    expect(gathering).toMatchObject({ can_be_cancelled: false, build_log_url: null });
    release(3);
    const failed = await standIn.buildIn(publication, 'Failed to build');
    expect(failed).toMatchObject({ can_be_retried: true, can_be_cancelled: false });
    expect(failed['duration']).toMatch(/^0:0\d:\d\d\.\d{6}$/);
    expect(failed['build_log_url']).toMatch(
      /\/~me\/\+archive\/debian\/test\/\+build\/\d+\/\+files\/buildlog_debian-bookworm-amd64\.fails_1\.0_BUILDING\.txt\.gz$/,
    );
    expect(await logOf(failed)).toBe('it went\nwrong\n');
  });

  it('has a log that is gzipped under the name that says so, behind a redirect', async () => {
    const publication = await submit('redirected');
    const build = await standIn.buildIn(publication, 'Successfully built');
    const response = await fetch(build['build_log_url'] as string, { redirect: 'manual' });
    expect(response.status).toBe(303);
    const { request } = await import('node:http');
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      request(response.headers.get('location') as string, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => resolve(Buffer.concat(chunks)));
      })
        .on('error', reject)
        .end();
    });
    expect(gunzipSync(bytes).toString()).toMatch(/^Scripted build of redirected 1\.0\n/);
  });

  it('shows datebuilt while it is still uploading', async () => {
    standIn.play({
      sources: { uploads: { builds: { '*': [{ state: 'Uploading build' }] } } },
    });
    const build = await standIn.buildIn(await submit('uploads'), 'Uploading build');
    expect(build['datebuilt']).not.toBeNull();
    expect(build['build_log_url']).toBeNull();
  });

  it('may be in a state that nobody knows', async () => {
    standIn.play({ sources: { odd: { builds: { '*': [{ state: 'Contemplating' }] } } } });
    const build = await standIn.buildIn(await submit('odd'), 'Contemplating');
    expect(build).toMatchObject({ can_be_cancelled: false, can_be_retried: false });
  });

  it('has an upload log where it failed to upload, and no log where it has none', async () => {
    standIn.play({
      sources: {
        refused: { builds: { '*': [{ state: 'Failed to upload', uploadLog: 'refused\n' }] } },
        silent: { builds: { '*': [{ state: 'Chroot problem', noLog: true }] } },
      },
    });
    const refused = await standIn.buildIn(await submit('refused'), 'Failed to upload');
    expect(await logOf(refused, 'upload_log_url')).toBe('refused\n');
    const silent = await standIn.buildIn(await submit('silent'), 'Chroot problem');
    expect(silent['build_log_url']).toBeNull();
  });
});

describe('cancel', () => {
  it('ends a running build, by way of Cancelling build, and its log is kept', async () => {
    standIn.play({ sources: { runs: { builds: { '*': [{ state: 'Currently building' }] } } } });
    const publication = await submit('runs');
    const { self_link } = await standIn.buildIn(publication, 'Currently building');
    expect((await standIn.post(self_link, 'cancel')).status).toBe(200);
    const cancelled = await standIn.buildIn(publication, 'Cancelled build');
    expect(cancelled).toMatchObject({ can_be_cancelled: false, can_be_retried: true });
    expect(await logOf(cancelled)).toMatch(/Currently building/);
  });

  it('ends a waiting build at once, without a log', async () => {
    standIn.play({
      sources: { waits: { builds: { '*': [{ state: 'Needs building', durationMs: 60_000 }] } } },
    });
    const publication = await submit('waits');
    const { self_link } = await standIn.buildIn(publication, 'Needs building');
    await standIn.post(self_link, 'cancel');
    const cancelled = await buildOf(publication);
    expect(cancelled).toMatchObject({ buildstate: 'Cancelled build', build_log_url: null });
  });

  it('changes nothing in any other state, and says nothing', async () => {
    const publication = await submit('done');
    const build = await standIn.buildIn(publication, 'Successfully built');
    expect((await standIn.post(build.self_link, 'cancel')).status).toBe(200);
    expect(await buildOf(publication)).toEqual(build);
  });
});

describe('retry', () => {
  it('builds again, with the next attempt of the script, and without the log before', async () => {
    const builds = {
      '*': {
        attempts: [
          [{ state: 'Failed to build', log: 'first' }],
          [
            { state: 'Currently building', untilReleased: true },
            { state: 'Successfully built', log: 'second' },
          ],
        ],
      },
    };
    standIn.play({ sources: { flaky: { builds } } });
    const publication = await submit('flaky');
    const failed = await standIn.buildIn(publication, 'Failed to build');
    expect((await standIn.post(failed.self_link, 'retry')).status).toBe(200);
    const building = await standIn.buildIn(publication, 'Currently building');
    expect(building).toMatchObject({ build_log_url: null, datebuilt: null });
    standIn.play({ sources: { flaky: { builds, released: true } } });
    expect(await logOf(await standIn.buildIn(publication, 'Successfully built'))).toBe('second');
  });

  it('is refused where a build cannot be retried', async () => {
    standIn.play({});
    const build = await standIn.buildIn(await submit('built'), 'Successfully built');
    const response = await standIn.post(build.self_link, 'retry');
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/^Build \d+ cannot be retried\.$/);
  });

  it('comes by hand to a build that waits for dependencies', async () => {
    standIn.play({
      sources: {
        depends: {
          builds: {
            '*': {
              attempts: [
                [{ state: 'Dependency wait', dependencies: 'libmissing-dev (>= 2)' }],
                [{ state: 'Successfully built' }],
              ],
            },
          },
        },
      },
    });
    const publication = await submit('depends');
    const waiting = await standIn.buildIn(publication, 'Dependency wait');
    expect(waiting).toMatchObject({ dependencies: 'libmissing-dev (>= 2)', can_be_retried: true });
    await standIn.post(waiting.self_link, 'retry');
    const built = await standIn.buildIn(publication, 'Successfully built');
    expect(built['dependencies']).toBeNull();
  });
});

it('a newer version supersedes an older one, and its builds that wait', async () => {
  standIn.play({
    sources: {
      renewed: { builds: { '*': [{ state: 'Needs building', durationMs: 60_000 }] } },
    },
  });
  const older = await submit('renewed', '1.0');
  await standIn.buildIn(older, 'Needs building');
  const newer = await submit('renewed', '2.0');
  const build = await standIn.buildIn(older, 'Build for superseded Source');
  expect(build).toMatchObject({ can_be_cancelled: false, can_be_retried: false });
  const [first] = await standIn.entries(standIn.archiveUrl(), 'getPublishedSources', {
    source_name: 'renewed',
    status: 'Superseded',
  });
  expect(first?.self_link).toBe(older.self_link);
  await standIn.buildIn(newer, 'Needs building');
});

it('no more builds run at once than there are builders', async () => {
  const narrow = await openStandIn({
    builders: 1,
    script: { sources: { '*': { builds: { '*': [{ state: 'Currently building' }] } } } },
  });
  try {
    const publications: Entry[] = [];
    for (const name of ['first-in-line', 'second-in-line']) {
      const source = await narrow.make({ name });
      await narrow.upload(source.files);
      publications.push(await narrow.publication(source));
    }
    const [first, second] = publications as [Entry, Entry];
    const running = await narrow.buildIn(first, 'Currently building');
    await narrow.buildIn(second, 'Needs building');
    await narrow.post(running.self_link, 'cancel');
    expect(await narrow.buildIn(second, 'Currently building')).toBeDefined();
  } finally {
    await narrow.close();
  }
});

it('after a restart everything is as it was, and what was running runs again', async () => {
  standIn.play({
    sources: {
      interrupted: {
        builds: {
          '*': {
            attempts: [
              [{ state: 'Currently building' }],
              [{ state: 'Successfully built', log: 'the second attempt' }],
            ],
          },
        },
      },
    },
  });
  const running = await submit('interrupted');
  await standIn.buildIn(running, 'Currently building');
  const done = await submit('not-interrupted');
  const built = await standIn.buildIn(done, 'Successfully built');
  await standIn.restart();
  const again = (await standIn.entries(standIn.archiveUrl(), 'getBuildRecords')).find(
    (build) => build['title'] === built['title'],
  );
  expect(again).toMatchObject({ buildstate: 'Successfully built', datebuilt: built['datebuilt'] });
  expect(await logOf(again as Entry)).toMatch(/not-interrupted/);
  const ended = await until('the interrupted build', async () =>
    (
      await standIn.entries(standIn.archiveUrl(), 'getBuildRecords', {
        source_name: 'interrupted',
        build_state: 'Successfully built',
      })
    ).find((build) => build['source_package_name'] === 'interrupted'),
  );
  expect(await logOf(ended)).toBe('the second attempt');
});
