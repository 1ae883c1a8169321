import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const RESULTS = 'bench/results';
const rows = readFileSync('docs/performance.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'));
const kept = readdirSync(RESULTS, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.md'),
);

describe.each(kept)('of what is kept in bench/results/%s, the page says', (path) => {
  const text = readFileSync(join(RESULTS, path), 'utf8');
  const row = rows.find((line) => line.includes(`](../${RESULTS}/${path})`));

  it.each([
    ['by which command it was measured', /^- Command: `npm run bench -- (.*)`$/m],
    ['on which day', /^- Measured at ([\d-]+)T/m],
    ['on which processor', /^- Machine: \d+ cores of (.*?)(?: Processor)?,/m],
  ])('%s', (_, line) => {
    const [, said = 'it does not say'] = line.exec(text) ?? [];
    const cells = row?.split('|').map((cell) => cell.trim().replaceAll('`', ''));
    expect(cells).toContain(said.replaceAll('(R)', ''));
  });
});
