import { readFileSync } from 'node:fs';
import { createLogScanner } from '../../../activities/logs/scan-log.ts';

const LOG = readFileSync('test/diagnosis/build-logs/c-syntax.txt');

async function causeIn(...chunks: (Buffer | string)[]) {
  const scanner = createLogScanner();
  for (const chunk of chunks) await scanner.write(Buffer.from(chunk));
  return scanner.end();
}

describe('the scanner of logs', () => {
  it('finds the same however the log is cut into pieces, characters included', async () => {
    const whole = await causeIn(LOG);
    expect(whole).toMatchObject({ rule: 'compiler_error' });
    expect(whole?.excerpt).toContain('expected ‘,’ or ‘;’');
    for (const length of [1, 2, 7, 1_000]) {
      const pieces = Array.from({ length: Math.ceil(LOG.length / length) }, (_unused, index) =>
        LOG.subarray(index * length, (index + 1) * length),
      );
      expect(await causeIn(...pieces)).toEqual(whole);
    }
  });

  it('counts lines as the log has them, the last one without an end included', async () => {
    expect(await causeIn('\n\n', 'one', ' line\n', 'make: *** [all] Error 1')).toEqual({
      rule: 'failed_step',
      line: 4,
      excerpt: 'one line\nmake: *** [all] Error 1',
      excerptLine: 3,
    });
  });

  it('holds the start of a line that does not end', async () => {
    const scanner = createLogScanner();
    const megabyte = Buffer.alloc(2 ** 20, 'x');
    const usedBefore = process.memoryUsage().heapUsed;
    for (let written = 0; written < 200; written++) await scanner.write(megabyte);
    expect(process.memoryUsage().heapUsed - usedBefore).toBeLessThan(100 * 2 ** 20);
    await scanner.write(Buffer.from('\nmake: *** [all] Error 1\n'));
    expect(await scanner.end()).toMatchObject({ rule: 'failed_step', line: 2 });
  });

  /** A clock by which each look at a line takes so long. */
  const clockOf = (lineMs: number) => {
    let nowMs = 0;
    return () => (nowMs += lineMs);
  };

  it('gives others their turn while a log is slow to read', async () => {
    const scanner = createLogScanner({ now: clockOf(5) });
    let turns = 0;
    let isDone = false;
    const others = () => {
      turns += 1;
      if (!isDone) setImmediate(others);
    };
    others();
    await scanner.write(Buffer.from('line\n'.repeat(400)));
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(100);
  });

  it('gives up a log that takes more time than any real one', async () => {
    const scanner = createLogScanner({ now: clockOf(50) });
    await expect(scanner.write(Buffer.from('line\n'.repeat(1_000)))).rejects.toThrow(
      'took more than 30 s',
    );
  });
});
