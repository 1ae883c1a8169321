import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { startAirline, type Airline } from '../support/airline.ts';
import { makeKeyOfGnupg, type KeyOfGnupg } from '../support/signing-key.ts';
import { makeSource } from '../support/source-package.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { buildCommand, type BuiltCommand } from './built-command.ts';
import { assertDone, jsonLines } from './call.ts';

jest.setTimeout(600_000);

const LOG = [
  '   dh_auto_build',
  "broken.c:12:3: error: expected ';' before 'return'",
  'make: *** [Makefile:7: broken.o] Error 1',
  'dpkg-buildpackage: error: debian/rules build subprocess returned exit status 2',
  '',
].join('\n');
const built = [{ state: 'Currently building', durationMs: 50 }, { state: 'Successfully built' }];
const failed = [
  { state: 'Currently building', durationMs: 50 },
  { state: 'Failed to build', log: LOG },
];
const endless = [
  { state: 'Currently building', untilReleased: true },
  { state: 'Successfully built' },
];

let airline: Airline;
let command: BuiltCommand;
let key: KeyOfGnupg;
let directory: string;

beforeAll(async () => {
  directory = temporaryDirectory();
  airline = await startAirline({
    script: { sources: {} },
    environment: { AIRLINE_STAND_IN_ARCHITECTURES: 'amd64,riscv64' },
  });
  command = await buildCommand();
  key = await makeKeyOfGnupg('Airline CLI', 'cli@airline.example');
  const keys = join(airline.stack.directories.state, 'stand-in', 'keys');
  writeFileSync(join(keys, 'cli.asc'), key.publicKey);
});

afterAll(async () => {
  await airline.stop();
  await key.remove();
});

const environment = () => ({ AIRLINE_URL: airline.stack.addresses.api });
const source = (name: string, architecture = 'all') =>
  makeSource({ directory: mkdtempSync(join(directory, 'source-')), name, architecture, key });
const stateThere = ({ architecture, state }: ProgressMessage['builds'][number]) => [
  architecture,
  state,
];
const submission = (changes: readonly string[]) => [
  'submit',
  ...changes,
  '--ppa=ppa:airline/test',
  '--series=bookworm',
  '--archive=debian',
];

describe('airline submit --wait', () => {
  test('takes two packages to the end of their build, and ends with 0', async () => {
    airline.play({
      sources: { 'cli-one': { builds: { '*': built } }, 'cli-two': { builds: { '*': built } } },
    });
    const sources = [await source('cli-one'), await source('cli-two')];
    const { code, stdout, stderr } = await command.inPipe(
      [...submission(sources.map(({ changes }) => changes)), '--wait', '--json', '--bug', '42'],
      environment(),
    );
    assertDone({ code, stdout, stderr });
    const [first = '', ...rest] = stdout.split('\n');
    const made = JSON.parse(first) as {
      ticket: { id: number; subtickets: unknown[] };
      build: { id: number };
    };
    expect(made.ticket).toMatchObject({
      title: 'cli-one 1.0, cli-two 1.0',
      bug_id: '42',
      owner: 'test@airline.example',
      current_workflow_step: '200',
    });
    expect(made.ticket.subtickets).toMatchObject([
      { current_workflow_step: '200' },
      { current_workflow_step: '200' },
    ]);
    const history = await command.inPipe(
      ['ticket', 'history', `${made.ticket.id}`, '--json'],
      environment(),
    );
    expect(history.stdout).toContain(`build ${made.build.id} was requested`);
    const messages = jsonLines<ProgressMessage>(rest.join('\n'));
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, at) => at + 1));
    expect(messages.at(-1)).toMatchObject({ message: 'COMPLETE', build_id: made.build.id });
    expect(await airline.build(made.build.id)).toMatchObject({ state: 'completed' });
  });

  test('of a .dsc alone makes and signs what the PPA takes, and the same call finds it again', async () => {
    airline.play({ sources: { bare: { builds: { '*': built } } } });
    const { changes, dsc, files } = await source('bare');
    for (const file of files) if (/\.(?:changes|buildinfo)$/.test(file)) rmSync(file);
    const submit = (...more: string[]) =>
      command.inPipe([...submission([dsc]), ...more], {
        ...environment(),
        GNUPGHOME: key.gnupgHome,
      });

    const { code, stdout, stderr } = await submit('--sign-with', key.fingerprint, '--wait');
    assertDone({ code, stdout, stderr });
    expect(stderr).toContain(`bare_1.0_source.changes was made beside bare_1.0.dsc`);
    expect(existsSync(changes)).toBe(true);
    const again = await submit('--wait');
    assertDone(again);
    expect(again.stderr).toContain('bare_1.0_source.changes beside it is submitted');
  });

  test('of a build that fails shows in a terminal why, and ends with 1', async () => {
    airline.play({ sources: { broken: { builds: { '*': failed } } } });
    const { changes } = await source('broken');
    const { code, screen } = await command.inTerminal(
      [...submission([changes]), '--wait', '--no-color'],
      environment(),
    );
    expect({ code, screen }).toMatchObject({ code: 1 });
    expect(screen).toContain('broken_1.0_source.changes');
    expect(screen).toContain('100%');
    expect(screen).toMatch(/✗ Build \d+ failed: build_failed/);
    expect(screen).toContain("> 2 │ broken.c:12:3: error: expected ';' before 'return'");
    expect(screen).toContain('What to do    Read the build log');
    expect(screen).toMatch(/Log +http:\/\/\S+\.build\.log \(line 2\)/);
    expect(screen).toContain('does not help');
  });

  test('ends with 130 at Ctrl-C, leaves the build running and says how to come back', async () => {
    airline.play({ sources: { slow: { builds: { '*': endless } } } });
    const { changes } = await source('slow');
    const { code, screen } = await command.inTerminal(
      [...submission([changes]), '--wait', '--no-color'],
      environment(),
      [{ once: 'Currently building', type: '\u0003' }],
    );
    expect({ code, screen }).toMatchObject({ code: 130 });
    const id = Number(/Build (\d+) goes on\./.exec(screen)?.[1]);
    expect(screen).toContain(`airline build watch ${id}`);
    expect(screen).toContain(`airline build cancel ${id}`);
    expect(await airline.build(id)).toMatchObject({ state: 'building', cancel_requested_at: null });
    airline.play({ sources: { slow: { released: true, builds: { '*': endless } } } });
    expect((await command.inPipe(['build', 'watch', `${id}`], environment())).code).toBe(0);
  });

  test('that is sent again stores its files once', async () => {
    airline.play({ sources: { again: { builds: { '*': built } } } });
    const { changes } = await source('again');
    const urls: string[][] = [];
    for (let time = 0; time < 2; time += 1) {
      const { code, stdout } = await command.inPipe(
        [...submission([changes]), '--json'],
        environment(),
      );
      expect(code).toBe(0);
      urls.push(
        (JSON.parse(stdout) as { build: { source_packages: string[] } }).build.source_packages,
      );
    }
    expect(urls[0]).toEqual(urls[1]);
  });
});

describe('airline submit asks the PPA first', () => {
  test('and sends nothing that it would not take', async () => {
    airline.play({ sources: { newer: { builds: { '*': built } } } });
    const stranger = await makeKeyOfGnupg('A Stranger', 'stranger@airline.example');
    const make = (version: string, signedBy: KeyOfGnupg) =>
      makeSource({
        directory: mkdtempSync(join(directory, 'source-')),
        name: 'newer',
        version,
        key: signedBy,
      });
    const there = await make('2.0', key);
    const first = await command.inPipe([...submission([there.changes]), '--wait'], environment());
    assertDone(first);

    const older = await command.inPipe(
      submission([(await make('1.0', key)).changes]),
      environment(),
    );
    const theirs = await command.inPipe(
      [...submission([(await make('3.0', stranger)).changes]), '--dry-run'],
      environment(),
    );
    await stranger.remove();

    expect(older).toMatchObject({ code: 2, stdout: '' });
    expect(older.stderr).toContain('Nothing was sent: the PPA would not take it.');
    expect(older.stderr).toContain('newer 1.0 is not higher than 2.0');
    expect(theirs).toMatchObject({ code: 2, stdout: '' });
    expect(theirs.stderr).toContain(`newer 3.0 is signed by the key ${stranger.fingerprint}`);
  });
});

describe('airline build', () => {
  const startEndless = async (name: string) => {
    airline.play({ sources: { [name]: { builds: { '*': endless } } } });
    const { changes } = await source(name);
    const { code, stdout } = await command.inPipe(
      [...submission([changes]), '--quiet'],
      environment(),
    );
    expect(code).toBe(0);
    return stdout.trim();
  };

  test('watch loses no event when the network goes and comes back', async () => {
    const id = await startEndless('offline');
    const { port } = new URL(airline.stack.addresses.api);
    const proxy = await startTcpProxy('127.0.0.1', Number(port));
    try {
      let shown = '';
      const watching = command.inPipe(
        ['build', 'watch', id, '--json'],
        { AIRLINE_URL: `http://127.0.0.1:${proxy.port}` },
        '',
        (stdout) => (shown = stdout),
      );
      // It must be connected before it can lose the connection.
      await until('it shows an event', () => shown.includes('\n'));
      await until(
        'the PPA builds',
        async () => (await airline.build(Number(id))).state === 'building',
      );
      proxy.close();
      airline.play({ sources: { offline: { released: true, builds: { '*': endless } } } });
      await until(
        'the build is complete',
        async () => (await airline.build(Number(id))).state === 'completed',
      );
      proxy.open();
      const { code, stdout, stderr } = await watching;
      assertDone({ code, stdout, stderr });
      const seqs = jsonLines<ProgressMessage>(stdout).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, at) => at + 1));
      expect(jsonLines<ProgressMessage>(stdout).at(-1)).toMatchObject({ message: 'COMPLETE' });
      expect(stderr).toMatch(/Lost the connection after event \d+ \(.+\); trying again\./);
      expect(stderr).toMatch(/Connected again; going on after event \d+\./);
    } finally {
      await proxy.stop();
    }
  });

  test('cancel --wait ends with 0 when the build was cancelled', async () => {
    const id = await startEndless('unwanted');
    await until(
      'the PPA builds',
      async () => (await airline.build(Number(id))).state === 'building',
    );
    const { code, stdout, stderr } = await command.inPipe(
      ['build', 'cancel', id, '--wait'],
      environment(),
    );
    assertDone({ code, stdout, stderr });
    expect(stdout).toContain(`Build ${id} was cancelled.`);
  });

  test('retry --wait follows the new attempt alone', async () => {
    airline.play({ sources: { flaky: { builds: { '*': { attempts: [failed, built] } } } } });
    const { changes } = await source('flaky');
    const first = await command.inPipe(
      [...submission([changes]), '--wait', '--json'],
      environment(),
    );
    expect(first.code).toBe(1);
    const id = jsonLines<{ build?: { id: number } }>(first.stdout)[0]?.build?.id ?? 0;
    const { code, stdout } = await command.inPipe(
      ['build', 'retry', `${id}`, '--wait', '--json'],
      environment(),
    );
    expect(code).toBe(0);
    const attempts = jsonLines<ProgressMessage>(stdout).map(({ attempt }) => attempt);
    expect(new Set(attempts)).toEqual(new Set([2]));
    const history = await command.inPipe(
      ['history', 'export', `${id}`, '--attempt', '1'],
      environment(),
    );
    expect(JSON.parse(history.stdout)).toMatchObject({ events: expect.any(Array) });
  });

  test('retry --architecture builds that one alone, and the build is failed until all are built', async () => {
    const flaky = { attempts: [failed, built] };
    airline.play({ sources: { picky: { builds: { '*': flaky } } } });
    const { changes } = await source('picky', 'any');
    const first = await command.inPipe(
      [...submission([changes]), '--wait', '--json'],
      environment(),
    );
    const id = `${jsonLines<{ build?: { id: number } }>(first.stdout)[0]?.build?.id}`;
    const retry = async (...options: string[]) => {
      const { code, stdout, stderr } = await command.inPipe(
        ['build', 'retry', id, ...options, '--wait', '--json'],
        environment(),
      );
      const last = jsonLines<ProgressMessage>(stdout).at(-1);
      return { code, stderr, states: Object.fromEntries(last?.builds.map(stateThere) ?? []) };
    };
    expect(await retry('--architecture', 'riscv64')).toMatchObject({
      code: 1,
      states: { amd64: 'failed', riscv64: 'completed' },
    });

    const refused = await retry('--architecture', 'amd64,riscv64');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('invalid_field') });
    expect(refused.stderr).toContain('did not fail on riscv64; it failed on amd64');

    expect(await retry('--architecture', 'amd64')).toMatchObject({
      code: 0,
      states: { amd64: 'completed', riscv64: 'completed' },
    });
  });
});
