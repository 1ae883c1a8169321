import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FailureClass } from '../../domain/builds/failure.ts';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { readMachine } from '../../sandbox/machine.ts';
import { buildCommand, type BuiltCommand } from '../cli/built-command.ts';
import { startAirline, type Airline } from '../support/airline.ts';
import { sharedChroot } from '../support/own-cache.ts';
import { processes } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { requestHere, startImpatient } from './impatient-airline.ts';
import { expectOneStream } from './situations.ts';
import { SEEN_WITH_SBUILD } from './seen-with-sbuild.ts';

/*
 * Every failure class that a real build can end in, on one stand-in that builds with sbuild. All builds but the first
 * run at the same time.
 */

const LIMIT_MS = 600_000;
jest.setTimeout(LIMIT_MS);

/** Where the archive has such a package, these tests are wrong. */
const NOWHERE = 'airline-nowhere';
const SLEEP = 'sleep 3600';
/** The build prints it before it sleeps. Its log has the command, too, but not what comes of it. */
const LAST_LINE = { command: 'echo the last of $$((6 * 7)) lines', text: 'the last of 42 lines' };
/** Found by its command line: another test run on this machine sleeps for another time. */
const SLEEP_PAST_DEADLINE = `sleep 3601.${process.pid}`;

type Builds = Promise<ProgressMessage[]>;
/** Real builds take long: to poll for them as often as for scripted ones would cost more than the builds do. */
const CALM = {
  AIRLINE_POLL_INITIAL_MS: '500',
  AIRLINE_POLL_MAX_MS: '2000',
  AIRLINE_STAND_IN_PROCESS_INTERVAL_MS: '500',
  AIRLINE_DISPATCH_INTERVAL_MS: '2000',
  AIRLINE_PUBLISH_INTERVAL_MS: '2000',
  AIRLINE_LOG_TAIL_MS: '2000',
};
/** The series that this machine builds for. */
type Where = { archive: string; series: string };
type Source = NonNullable<Parameters<Airline['submit']>[0]>;

let airline: Airline;
/** Uploads to the same stand-in, which does not know its key, and has less patience. */
let hurried: Airline;
let command: BuiltCommand;
/** What `airline build logs --follow` has printed of the build that is cancelled. */
let followed: ReturnType<BuiltCommand['inPipe']>;
const seen = new Map<FailureClass, Builds>();

beforeAll(async () => {
  const { distribution, series } = await readMachine();
  const where = { archive: distribution, series };
  const cacheDir = temporaryDirectory();
  command = await buildCommand();
  const chroot = await brokenChroot(cacheDir);
  airline = await startAirline({
    environment: {
      ...CALM,
      AIRLINE_CACHE_DIR: cacheDir,
      AIRLINE_STAND_IN_BUILDERS: '4',
    },
  });
  hurried = await startImpatient(airline, {
    ...CALM,
    AIRLINE_ACCEPTANCE_MS: '20000',
    AIRLINE_DEPENDENCY_WAIT_MS: '500',
    // Long after what is asked of it has come to its end, but for the one that sleeps.
    AIRLINE_WHOLE_BUILD_MS: '80000',
  });

  const request = async (name: string, source: Source = {}) =>
    airline.requestBuild(await airline.submit({ name, distribution: series, ...source }), {
      ...where,
      ppa: `ppa:airline/${name}`,
    });
  const see = (failureClass: FailureClass, messages: Builds) => {
    // Its test awaits it later, and fails then.
    messages.catch(() => undefined);
    seen.set(failureClass, messages);
  };
  const messagesOf = async (name: string, source?: Source) =>
    airline.messages(await request(name, source), undefined, LIMIT_MS);

  see('chroot_problem', messagesOf('chroot-problem'));
  await seen.get('chroot_problem');
  chroot.mend();

  see('timed_out', sleepPastDeadline(where));
  see('upload_rejected', uploadUnderUnknownKey(where));
  see('invalid_source', messagesOf('invalid-source', { signed: false }));
  see(
    'build_failed',
    messagesOf('build-failed', {
      files: { 'main.c': 'int main(void) { return nothing; }\n' },
      build: ['cc -c main.c'],
    }),
  );
  see(
    'publish_failed',
    messagesOf('publish-failed', {
      build: [
        'echo This is no package. > ../publish-failed-more_1.0_all.deb',
        'dpkg-distaddfile publish-failed-more_1.0_all.deb misc optional',
      ],
    }),
  );
  const ppa = 'ppa:airline/superseded';
  const older = { name: 'superseded', distribution: series, buildDepends: [NOWHERE] };
  const submitted = await airline.submit(older);
  const newer = await airline.submit({
    ...older,
    version: '2.0',
    buildDepends: [],
    build: [LAST_LINE.command, SLEEP],
  });
  const waiting = await airline.requestBuild(submitted, { ...where, ppa });
  // A build that ends instead of waiting holds up none of the others: their tests show what came of it.
  await new Promise<void>((resolve) => {
    const messages = airline.messages(
      waiting,
      async ({ builds }) => {
        if (builds[0]?.buildstate === 'Dependency wait') resolve();
      },
      LIMIT_MS,
    );
    see('superseded', messages);
    void messages.catch(() => undefined).finally(resolve);
  });
  // Who has less patience and asks for the same build ends before it; a newer version ends it for the other.
  see('dependency_wait', hurriedBuild(submitted, { ...where, ppa }));
  await seen.get('dependency_wait')?.catch(() => undefined);
  see('cancelled', cancelledWhileFollowed(await airline.requestBuild(newer, { ...where, ppa })));
});
afterAll(async () => {
  await hurried.stop();
  await airline.stop();
});

/** Follows the log of a build, and cancels it as soon as that shows the last line before the build sleeps. */
function cancelledWhileFollowed(build: Awaited<ReturnType<Airline['requestBuild']>>): Builds {
  followed = new Promise((resolve, reject) => {
    let isAsked = false;
    command
      .inPipe(
        ['build', 'logs', String(build.id), '--follow'],
        { AIRLINE_URL: airline.stack.addresses.api },
        '',
        (stdout) => {
          if (isAsked || !stdout.includes(LAST_LINE.text)) return;
          isAsked = true;
          airline.rest.post(`${build.resource_uri}cancel/`, {}).catch(reject);
        },
      )
      .then(resolve, reject);
  });
  // Its test awaits it later, and fails then.
  followed.catch(() => undefined);
  return airline.messages(build, undefined, LIMIT_MS);
}

/** Only when the build sleeps, an Airline that waits less is asked for it as well. */
async function sleepPastDeadline(where: Where): Builds {
  const fields = { ...where, ppa: 'ppa:airline/timed-out' };
  const submitted = await airline.submit({
    name: 'timed-out',
    distribution: where.series,
    build: [SLEEP_PAST_DEADLINE],
  });
  await airline.requestBuild(submitted, fields);
  await until('the build to sleep', () => processes(SLEEP_PAST_DEADLINE).length > 0, LIMIT_MS);
  return hurriedBuild(submitted, fields);
}

async function hurriedBuild(
  submitted: { urls: string[] },
  fields: Where & { ppa: string },
): Builds {
  const build = await requestHere(hurried, submitted, fields);
  return hurried.messages(build, undefined, LIMIT_MS);
}

async function uploadUnderUnknownKey(where: Where): Builds {
  const submitted = await hurried.submit({ name: 'upload-rejected', distribution: where.series });
  const build = await hurried.requestBuild(submitted, {
    ...where,
    ppa: 'ppa:airline/upload-rejected',
  });
  return hurried.messages(build, undefined, LIMIT_MS);
}

/** Puts a tarball that is none where the stand-in looks for its chroot, until it is mended. */
async function brokenChroot(cacheDir: string): Promise<{ mend: () => void }> {
  const tarball = await sharedChroot();
  const path = join(cacheDir, 'chroots', basename(tarball));
  mkdirSync(join(cacheDir, 'chroots'));
  writeFileSync(path, 'This is no tarball.\n');
  return {
    mend() {
      symlinkSync(tarball, `${path}.new`);
      renameSync(`${path}.new`, path);
    },
  };
}

async function finalOf(failureClass: FailureClass): Promise<ProgressMessage> {
  const messages = (await seen.get(failureClass)) ?? [];
  expectOneStream(messages);
  return messages.at(-1) as ProgressMessage;
}
const logsOf = ({ logs = [] }: ProgressMessage) =>
  Promise.all(logs.map(async (url) => (await fetch(url)).text()));

/** What its final message must have beside the class, and what sbuild has written. */
const EXPECTED: Partial<Record<FailureClass, { final: object; log?: RegExp }>> = {
  invalid_source: { final: { builds: [] } },
  upload_rejected: {
    final: { builds: [], failure: { message: expect.stringContaining('upload-rejected 1.0') } },
  },
  dependency_wait: {
    final: {
      builds: [{ buildstate: 'Dependency wait' }],
      failure: { message: expect.stringContaining(NOWHERE), package: 'superseded' },
    },
    log: /^Fail-Stage: install-deps$/m,
  },
  build_failed: {
    final: {
      builds: [{ buildstate: 'Failed to build' }],
      failure: { excerpt: expect.stringMatching(/main\.c:1:\d+: error: .nothing. undeclared/) },
    },
    log: /^Fail-Stage: build$/m,
  },
  chroot_problem: {
    final: { builds: [{ buildstate: 'Chroot problem' }] },
    log: /^E: Error creating chroot session/m,
  },
  publish_failed: {
    final: { builds: [{ buildstate: 'Failed to upload' }] },
    log: /^Status: successful$/m,
  },
  superseded: { final: { builds: [{ buildstate: 'Build for superseded Source' }] } },
  cancelled: { final: { builds: [{ buildstate: 'Cancelled build' }] } },
  timed_out: {
    final: { builds: [{ buildstate: 'Cancelled build' }] },
    log: /^Package: timed-out$/m,
  },
};

describe('a build with the real sbuild that fails', () => {
  const classes = Object.entries(SEEN_WITH_SBUILD).filter(([, { how }]) => how !== undefined);

  test.each(classes)('%s', async (name) => {
    const failureClass = name as FailureClass;
    const { final, log } = EXPECTED[failureClass] ?? { final: {} };
    const message = await finalOf(failureClass);
    const { failure } = message;
    if (failure?.class !== failureClass)
      throw new Error(
        `it ended as ${failure?.class}: ${failure?.message}\n${(await logsOf(message)).join('\n')}`,
      );
    expect(message).toMatchObject({ state: 'FAILED', exit: true, ...final });
    if (log) expect((await logsOf(message)).join('\n')).toMatch(log);
  });

  test('its log is shown while sbuild writes it, and to its end, each line once', async () => {
    const { code, stdout } = await followed;
    const [log = ''] = await logsOf(await finalOf('cancelled'));
    // The page of the PPA leaves out empty lines.
    const linesFromThere = (text: string) => {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return lines.slice(lines.indexOf(LAST_LINE.text));
    };
    const written = linesFromThere(log);
    expect(written[0]).toBe(LAST_LINE.text);
    expect(linesFromThere(stdout).slice(0, written.length)).toEqual(written);
    expect(stdout).toContain('was cancelled');
    expect(code).toBe(1);
  });

  test('timed_out leaves no process', async () => {
    await finalOf('timed_out');
    await until('its processes to end', () => processes(SLEEP_PAST_DEADLINE).length === 0);
  });

  test('publish_failed comes with the log of the archive, too', async () => {
    expect(await logsOf(await finalOf('publish_failed'))).toEqual([
      expect.stringContaining('sbuild'),
      expect.stringContaining('publish-failed-more_1.0_all.deb'),
    ]);
  });

  test('chroot_problem names the line of the log that says so', async () => {
    expect((await finalOf('chroot_problem')).failure).toMatchObject({
      line: expect.any(Number),
      excerpt: expect.stringContaining('chroot'),
    });
  });
});
