import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asSeen } from '../../../diagnosis/as-seen.ts';
import { RootCauseFinder } from '../../../diagnosis/finder.ts';
import { isNotable } from '../../../diagnosis/notable-lines.ts';
import { ROOT_CAUSE_RULES } from '../../../diagnosis/rules.ts';
import type { Sign } from '../../../diagnosis/sign.ts';
import { SIGNS } from '../../../diagnosis/signs/all.ts';
import { LINES } from './lines.ts';

const LOGS = join('test', 'diagnosis', 'build-logs');

const lines = [
  ...readdirSync(LOGS)
    .filter((name) => name.endsWith('.txt'))
    .flatMap((name) => readFileSync(join(LOGS, name), 'utf8').split('\n').map(asSeen)),
  ...Object.values(ROOT_CAUSE_RULES).map(({ example }) => example),
  ...Object.values(LINES).flat(),
].filter(isNotable);

/** By the first sign that fits each, as the finder goes. */
const linesOf = new Map<Sign | undefined, string[]>(SIGNS.map((sign) => [sign, []]));
for (const line of lines) {
  const first = SIGNS.find(({ pattern, except }) => pattern.test(line) && !except?.test(line));
  linesOf.get(first)?.push(line);
}

describe('each kind of line that a sign names', () => {
  it('begins where the line does', () => {
    const patterns = SIGNS.map(({ pattern }) => pattern.source);
    expect(patterns.filter((source) => !source.startsWith('^'))).toEqual([]);
  });

  it.each(
    SIGNS.flatMap((sign) =>
      sign.pattern.source.split(/\|(?=\^)/).map((kind) => ({ kind, rule: sign.rule, sign })),
    ),
  )('$rule: $kind is in a log, an example, or the table', ({ kind, sign }) => {
    const pattern = new RegExp(kind);
    expect(linesOf.get(sign)?.some((line) => pattern.test(line))).toBe(true);
  });
});

describe('a line that no recorded log has', () => {
  it.each(
    Object.entries(LINES).flatMap(([rule, lines]) => lines.map((line) => [rule, line] as const)),
  )('tells of %s: %s', (rule, line) => {
    for (const finder of [new RootCauseFinder(), new RootCauseFinder(() => true)]) {
      finder.take(line);
      finder.take('E: Build failure (dpkg-buildpackage died)');
      expect(finder.found()).toMatchObject({ rule, line: 1 });
    }
  });
});
