import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StartContext } from '../../../main/embedded/part.ts';
import {
  CLI_VERSION,
  temporalCliStep,
  usableCli,
  type TemporalCli,
} from '../../../main/embedded/temporal-cli.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const REFUSED = new Error('not tried here');

let directory: string;
let commands: string[];
let notes: string[];

beforeEach(() => {
  directory = temporaryDirectory();
  commands = [];
  notes = [];
});

/** A program that says of itself what the Temporal CLI says. */
function programSaying(path: string, version: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho 'temporal version 1.0.0 (${version})'\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Looks for the CLI where a download and a build are noted, but not done. */
async function find(path: string): Promise<TemporalCli> {
  let found: TemporalCli | undefined;
  const context: StartContext = {
    signal: new AbortController().signal,
    note: (text) => notes.push(text),
    run: ({ file, args }) => {
      commands.push([file, ...args].join(' '));
      return Promise.reject(REFUSED);
    },
  };
  await temporalCliStep({
    cacheDir: join(directory, 'cache'),
    projectDir: process.cwd(),
    environment: { PATH: path },
    account: undefined,
    found: (cli) => (found = cli),
  }).perform(context);
  return found as TemporalCli;
}

it('takes the program on PATH', async () => {
  const program = programSaying(join(directory, 'bin/temporal'), 'Server 1.31.2, UI 2.50.1');
  expect(await find(join(directory, 'bin'))).toEqual({ path: program, serverVersion: '1.31.2' });
});

it('takes the one in the cache where that on PATH is too old', async () => {
  programSaying(join(directory, 'bin/temporal'), 'Server 1.29.1, UI 2.37.0');
  const cached = programSaying(join(directory, `cache/temporal-${CLI_VERSION}`), 'Server 1.31.2');
  expect(await find(join(directory, 'bin'))).toEqual({ path: cached, serverVersion: '1.31.2' });
  expect(commands).toEqual([]);
});

it('tries the download, then the build, and says what became of each', async () => {
  const failure = await find('/bin-without-go').catch((error: Error) => error);
  expect((failure as Error).message.split('\n')).toEqual([
    expect.stringContaining('There is no Temporal CLI'),
    '- PATH: it has no program named temporal',
    expect.stringMatching(/^- the cache: .* does not exist$/),
    '- a download by the Temporal SDK: not tried here',
    '- a build with Go: not tried here',
    expect.stringMatching(/^Put the program temporal .* on PATH, or Go .*AIRLINE_TEMPORAL_ADDRESS/),
  ]);
  expect(commands.at(-1)).toBe('sh scripts/set-up.sh go');
  expect(notes).toEqual([
    expect.stringContaining('downloading'),
    expect.stringContaining('building'),
    expect.stringContaining("installing Debian's Go"),
  ]);
});

it('removes what a killed download has left', async () => {
  const left = join(directory, `cache/temporal-${CLI_VERSION}.download.1`);
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, 'half'), '');
  await expect(find('/bin-without-go')).rejects.toThrow('a download by the Temporal SDK');
  expect(existsSync(left)).toBe(false);
});

it('builds with a Go that fetches newer ones by itself', async () => {
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'go'), '#!/bin/sh\necho go version go1.21.0 linux/amd64\n', {
    mode: 0o755,
  });
  await expect(find(`${bin}:/usr/bin:/bin`)).rejects.toThrow('a build with Go: not tried here');
  expect(commands.at(-1)).toMatch(/^go build -o .* github\.com\/temporalio\/cli\/cmd\/temporal$/);
});

it('builds the program anew where the one in the cache has become unusable', async () => {
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'go'), '#!/bin/sh\necho go version go1.26.0 linux/amd64\n', {
    mode: 0o755,
  });
  mkdirSync(join(directory, 'cache'));
  writeFileSync(join(directory, `cache/temporal-${CLI_VERSION}`), '', { mode: 0o755 });
  await expect(find(`${bin}:/usr/bin:/bin`)).rejects.toThrow('a build with Go: not tried here');
  expect(commands.at(-1)).toMatch(/^go build /);
});

it('fetches the Go that it needs with one that is too old', async () => {
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'go'), '#!/bin/sh\necho go version go1.19.8 linux/amd64\n', {
    mode: 0o755,
  });
  await expect(find(`${bin}:/usr/bin:/bin`)).rejects.toThrow('a build with Go: not tried here');
  expect(commands.at(-1)).toMatch(
    /^go mod download golang\.org\/toolchain@v0\.0\.1-go1\.\d+\.\d+\.linux-(?:amd64|arm64)$/,
  );
});

it('refuses a program that is no Temporal CLI', () => {
  expect(() => usableCli('/bin/true', undefined)).toThrow('does not say which server it has');
});
