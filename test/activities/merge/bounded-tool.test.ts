import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { boundedTools, said, type RunTool } from '../../../activities/merge/bounded-tool.ts';

let home: string;
let run: RunTool;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'bounded-tool-'));
  const { signal } = new AbortController();
  run = boundedTools(home, { maxBytes: 10_000, memoryBytes: 2 ** 28, maxMs: 60_000, signal });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const say = (text: string, exitCode: number) =>
  run('sh', ['-c', 'echo "$1" >&2; exit "$2"', 'sh', text, String(exitCode)]);

describe('a tool whose disk takes no more', () => {
  it('has not judged what it was given: a later try may have more room', async () => {
    const full = run('tar', ['--create', '--file=/dev/full', '.']);
    await expect(full).rejects.toThrow(
      `tar could not write to the disk that has ${home}: tar: /dev/full: `,
    );
    await expect(full).rejects.not.toHaveProperty('code');
  });

  it.each([
    'fatal: cannot create directory: Disk quota exceeded',
    'xz: (stdout): Write error: Input/output error',
  ])('may say so in other words: %s', async (text) => {
    await expect(say(text, 1)).rejects.toThrow(text);
  });

  it('is none where it says so of the server, or ends well', async () => {
    const remote = 'remote: fatal: write error: No space left on device';
    expect(await say(remote, 128)).toMatchObject({ exitCode: 128, stderr: `${remote}\n` });
    expect(await say('No space left on device', 0)).toMatchObject({ exitCode: 0 });
  });
});

describe('a tool that is ended', () => {
  const slow = () => {
    const { signal } = new AbortController();
    return boundedTools(home, { maxBytes: 10_000, memoryBytes: 2 ** 28, maxMs: 60, signal });
  };

  it('is not tried again where it took too long: so it would the next time', async () => {
    const outcome = slow()('sleep', ['60']);
    await expect(outcome).rejects.toBeInstanceOf(ApplicationFailure);
    await expect(outcome).rejects.toMatchObject({ nonRetryable: true });
    await expect(outcome).rejects.toThrow(
      'sleep took too long: more than 60 ms (AIRLINE_SOURCE_FILE_MS)',
    );
  });

  it('may be tried again where it waited for a server', async () => {
    const result = await slow()('sleep', ['60'], { asksServer: true });
    expect(result).toMatchObject({ isTimedOut: true });
    expect(said(result)).toBe('it took too long (AIRLINE_SOURCE_FILE_MS)');
  });

  it('may be tried again where something else killed it, as where no memory is left', async () => {
    const outcome = run('sh', ['-c', 'kill -KILL $$']);
    await expect(outcome).rejects.toThrow('sh was killed');
    await expect(outcome).rejects.not.toHaveProperty('nonRetryable');
  });
});
