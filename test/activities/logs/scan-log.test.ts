import { readFileSync } from 'node:fs';
import { createLogScanner } from '../../../activities/logs/scan-log.ts';

const LOG = readFileSync('test/diagnosis/build-logs/c-syntax.txt');

function causeIn(...chunks: (Buffer | string)[]) {
  const scanner = createLogScanner();
  for (const chunk of chunks) scanner.write(Buffer.from(chunk));
  return scanner.end();
}

describe('the scanner of logs', () => {
  it('finds the same however the log is cut into pieces, characters included', () => {
    const whole = causeIn(LOG);
    expect(whole).toMatchObject({ rule: 'compiler_error' });
    expect(whole?.excerpt).toContain('expected ‘,’ or ‘;’');
    for (const length of [1, 2, 7, 1_000]) {
      const pieces = Array.from({ length: Math.ceil(LOG.length / length) }, (_unused, index) =>
        LOG.subarray(index * length, (index + 1) * length),
      );
      expect(causeIn(...pieces)).toEqual(whole);
    }
  });

  it('counts lines as the log has them, the last one without an end included', () => {
    expect(causeIn('\n\n', 'one', ' line\n', 'make: *** [all] Error 1')).toEqual({
      rule: 'failed_step',
      line: 4,
      excerpt: 'one line\nmake: *** [all] Error 1',
      excerptLine: 3,
    });
  });

  it('holds the start of a line that does not end', () => {
    const scanner = createLogScanner();
    const megabyte = Buffer.alloc(2 ** 20, 'x');
    const usedBefore = process.memoryUsage().heapUsed;
    for (let written = 0; written < 200; written++) scanner.write(megabyte);
    expect(process.memoryUsage().heapUsed - usedBefore).toBeLessThan(100 * 2 ** 20);
    scanner.write(Buffer.from('\nmake: *** [all] Error 1\n'));
    expect(scanner.end()).toMatchObject({ rule: 'failed_step', line: 2 });
  });
});
