import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundedTools, type RunTool } from '../../../activities/merge/bounded-tool.ts';

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
