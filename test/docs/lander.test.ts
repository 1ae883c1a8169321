import { readFileSync } from 'node:fs';
import { MAX_STREAM_MS } from '../../api/http/answer-stream.ts';
import { BUILD_PHASES } from '../../domain/builds/build-phase.ts';
import { messageOfPhase, progressStateOf } from '../../domain/builds/progress.ts';

const page = readFileSync('docs/lander.md', 'utf8');
const MAX_LINES = 45;

describe('docs/lander.md', () => {
  it.each([
    ['python', 'docs/lander/consumer.py'],
    ['js', 'docs/lander/consumer.mjs'],
  ])('shows the consumer in %s as it is tried, in few lines', (language, path) => {
    const [, shown] = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page) ?? [];
    const consumer = readFileSync(path, 'utf8');
    expect(shown).toBe(consumer);
    expect(consumer.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  });

  it('says how long a stream of events is open', () => {
    const minutes = MAX_STREAM_MS / 60_000;
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      `A stream ends after ${minutes} minutes at the latest`,
    );
  });

  it('has the state and the message of each phase', () => {
    const rows = page.matchAll(/^\| (\w+) +\| `?(\w+)`? +\| `(\w+)` +\|/gm);
    expect([...rows].map(([, ...cells]) => cells)).toEqual(
      BUILD_PHASES.map((phase) => [progressStateOf(phase), messageOfPhase(phase) ?? 'null', phase]),
    );
  });
});
