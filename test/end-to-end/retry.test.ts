import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { startAirline, type Airline } from '../support/airline.ts';
import { packaging, startGitServer } from '../support/git-server.ts';
import { requestProposalBuild } from '../support/request-proposal.ts';
import { declareInjectionTests } from './injection.ts';

jest.setTimeout(600_000);

let airline: Airline;

beforeAll(async () => {
  airline = await startAirline({ script: { sources: {} }, signs: true });
});

afterAll(() => airline.stop());

const failed = [{ state: 'Currently building', durationMs: 50 }, { state: 'Failed to build' }];
const built = [{ state: 'Currently building', durationMs: 50 }, { state: 'Successfully built' }];
const retry = (build: { resource_uri: string }) =>
  airline.rest.post<{ attempt: number }>(`${build.resource_uri}retry/`, { only: 'failed' });
const attemptsOf = async (build: { resource_uri: string }) =>
  (
    await airline.rest.get<{ objects: { state: string; workflow_id: string }[] }>(
      `${build.resource_uri}attempts/`,
    )
  ).objects;
const numbers = (messages: ProgressMessage[]) =>
  messages.map(({ seq, attempt }) => `${attempt}:${seq}`);

describe('retrying a build that failed', () => {
  test('the PPA builds again what failed there; nothing is uploaded twice; one stream goes on', async () => {
    airline.play({ sources: { flaky: { builds: { '*': { attempts: [failed, built] } } } } });
    const build = await airline.requestBuild(await airline.submit({ name: 'flaky' }));
    const first = await airline.messages(build);
    expect(first.at(-1)).toMatchObject({
      state: 'FAILED',
      failure: {
        class: 'build_failed',
        retryable: false,
        package: 'flaky',
        hint: expect.stringContaining('log'),
      },
    });
    expect(await airline.build(build.id)).toMatchObject({
      state: 'failed',
      failure: { class: 'build_failed' },
    });

    expect(await retry(build)).toMatchObject({ attempt: 2, state: 'queued', failure: null });
    const second = await airline.messages(build);
    expect(second.at(-1)).toMatchObject({ state: 'COMPLETED', attempt: 2 });
    expect(numbers([...first, ...second])).toEqual([
      ...first.map((_, index) => `1:${index + 1}`),
      ...second.map((_, index) => `2:${first.length + index + 1}`),
    ]);
    const events = await airline.rest.get<{ objects: ProgressMessage[] }>(
      `${build.resource_uri}events/`,
    );
    expect(events.objects).toEqual([...first, ...second]);
    const attempts = await attemptsOf(build);
    expect(attempts).toMatchObject([
      { attempt: 1, state: 'failed', failure: { class: 'build_failed' }, last_seq: first.length },
      { attempt: 2, state: 'completed', failure: null },
    ]);
    const { events: history } = await airline.temporal.workflow
      .getHandle(attempts[1]?.workflow_id ?? '')
      .fetchHistory();
    const activities = (history ?? []).flatMap(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
    );
    expect(activities).not.toContain('uploadSource');
    // Each attempt has its own logs.
    expect(second.at(-1)?.logs).toEqual([expect.stringContaining('/attempt-2/')]);
    const logs = [first, second].flatMap((messages) => messages.at(-1)?.logs ?? []);
    expect(await Promise.all(logs.map(async (url) => (await fetch(url)).status))).toEqual([
      200, 200,
    ]);
  });

  test('a build of which nothing came to the PPA goes the whole way again', async () => {
    const { ticketId, urls } = await airline.submit({ name: 'cut-short' });
    const build = await airline.requestBuild({
      ticketId,
      urls: urls.filter((url) => !url.endsWith('.dsc')),
    });
    const first = await airline.messages(build);
    await retry(build);
    const second = await airline.messages(build);
    expect([...first, ...second].map(({ message, attempt }) => `${attempt} ${message}`)).toEqual([
      '1 null',
      '1 STARTED',
      '1 FAILURE',
      '2 null',
      '2 STARTED',
      '2 FAILURE',
    ]);
    expect(second.at(-1)?.failure).toMatchObject({
      class: 'invalid_source',
      message: expect.stringContaining('cut-short_1.0.dsc'),
    });
  });
});

test('packages in order: what needs a failed one is left out, and a retry goes on from there', async () => {
  const made = [{ state: 'Successfully built', binaries: true }];
  airline.play({
    sources: {
      base: { publishAfterMs: 500, builds: { '*': { attempts: [failed, made] } } },
      // One that is uploaded too early is in Dependency wait.
      app: { needs: ['base'], builds: { '*': made } },
    },
  });
  const app = await airline.submit({ name: 'app', buildDepends: ['base (>= 1.0)'] });
  const { urls } = await airline.submit({ name: 'base' });
  const build = await airline.requestBuild(
    { ticketId: app.ticketId, urls: [...app.urls, ...urls] },
    { order: 'dependencies' },
  );
  const first = await airline.messages(build);
  const sequence = [
    { package: 'base', version: '1.0', level: 0, after: [], state: 'uploaded' },
    { package: 'app', version: '1.0', level: 1, after: ['base'] },
  ];
  expect(first.at(-1)).toMatchObject({
    failure: {
      class: 'build_failed',
      package: 'base',
      message: expect.stringMatching(/Failed to build; not built: app 1\.0 \(base failed\)$/),
    },
    sequence: [sequence[0], { ...sequence[1], state: 'not_built', reason: 'base failed' }],
  });

  await retry(build);
  const second = await airline.messages(build);
  expect(second.at(-1)).toMatchObject({
    state: 'COMPLETED',
    sequence: [sequence[0], { ...sequence[1], state: 'uploaded' }],
  });
  const phases = second.map(({ phase }) => phase);
  expect(phases.filter((phase, at) => phase !== phases[at - 1])).toEqual(
    expect.arrayContaining(['prerequisite_wait', 'uploading']),
  );
  expect(phases.lastIndexOf('uploading')).toBeGreaterThan(phases.indexOf('prerequisite_wait'));
  expect(second.find(({ phase }) => phase === 'prerequisite_wait')).toMatchObject({
    waiting: { for: 'prerequisite' },
    sequence: [sequence[0], { ...sequence[1], state: 'waiting' }],
  });
  const states = [...first, ...second].flatMap(({ builds }) => builds.map(({ state }) => state));
  expect(states).not.toContain('dependency_wait');
  expect(await airline.build(build.id)).toMatchObject({ order: 'dependencies' });
});

test('a merge proposal goes from git to COMPLETED, and one that conflicts names the files', async () => {
  airline.play({ sources: { proposed: { builds: { '*': built } } } });
  const server = await startGitServer();
  try {
    const repository = await server.make('proposed');
    await repository.commit('main', packaging('proposed', '1.0', { 'a.c': 'a\n' }));
    await repository.commit('fix', { 'b.c': 'b\n' }, 'main');
    await repository.commit('torn', { 'a.c': 'mine\n' }, 'main');
    await repository.commit('main', { 'a.c': 'theirs\n' });
    const { url } = repository;
    const request = async (branch: string) => {
      const { ticketId, build } = await requestProposalBuild(airline, { url, branch });
      const messages = await airline.messages(build);
      return { messages, full: await airline.rest.get(`/api/v1/fullticket/${ticketId}/`) };
    };
    const { messages, full } = await request('fix');
    expect([...new Set(messages.map(({ phase }) => phase))].slice(0, 3)).toEqual([
      'queued',
      'merging',
      'checking',
    ]);
    expect(messages.at(-1)).toMatchObject({
      state: 'COMPLETED',
      builds: [{ package: 'proposed', version: '1.0', state: 'completed' }],
      source_packages: expect.arrayContaining([expect.stringMatching(/proposed_1\.0\.dsc$/)]),
    });
    expect(full).toMatchObject({
      components: ['proposed'],
      subtickets: [{ source_package_upload: { version: '1.0' } }],
      builds: [{ packages: ['proposed'] }],
    });

    const torn = await request('torn');
    expect(torn.messages.at(-1)).toMatchObject({
      state: 'FAILED',
      failure: { class: 'merge_failed', message: expect.stringMatching(/conflicts in a\.c$/) },
    });
    expect(torn.full).toMatchObject({
      failed_part: 'merge',
      failure_reason: 'The branch does not merge: conflicts in a.c',
      subtickets: [{ merge_proposal: { status: 'needs_review' }, source_package_upload: null }],
    });
  } finally {
    await server.close();
  }
});

// Here, since an Airline of their own would take longer to start than they take.
describe('what others write', () => {
  declareInjectionTests(() => airline);
});
