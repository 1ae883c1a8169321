import { appendFileSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { boundLog, followLog, lastLines } from '../../../main/embedded/log-files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

let path: string;

beforeEach(() => {
  path = join(temporaryDirectory(), 'worker.log');
});

it('a log that has grown too large is moved aside, and a shorter one is left alone', () => {
  writeFileSync(path, 'first\n');
  boundLog(path, 6);
  expect(readFileSync(path, 'utf8')).toBe('first\n');
  appendFileSync(path, 'second\n');
  boundLog(path, 6);
  expect(readFileSync(path, 'utf8')).toBe('');
  expect(lastLines(`${path}.1`, 1)).toEqual(['second']);
});

it('a log that cannot be read is told of once, and followed as soon as it can', async () => {
  const lines: string[] = [];
  const faults: Error[] = [];
  mkdirSync(path);
  const end = followLog(
    path,
    (line) => lines.push(line),
    (fault) => faults.push(fault),
    1,
  );
  await until('a fault', () => faults.length > 0);
  rmdirSync(path);
  writeFileSync(path, 'first\nsec');
  await until('a line', () => lines.length > 0);
  appendFileSync(path, 'ond\n');
  end();
  expect(lines).toEqual(['first', 'second']);
  expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining('EISDIR')]);
});
