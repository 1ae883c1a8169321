import { readFile } from 'node:fs/promises';
import { LANDING_FAILURE_CLASSES } from '../../domain/landings/landing-failure.ts';
import { LANDING_PHASES, stepOfPhase } from '../../domain/landings/landing-phase.ts';
import { stepName, type StepValue } from '../../domain/tickets/ticket.ts';

/** The cells of all rows of tables. */
async function rows(): Promise<string[][]> {
  const page = await readFile('docs/landing.md', 'utf8');
  return [...page.matchAll(/^\| (.*) \|$/gm)].map(([, cells = '']) =>
    cells.split(' | ').map((cell) => cell.trim()),
  );
}

describe('docs/landing.md', () => {
  it('has every class of failure as it is', async () => {
    const known = await rows();
    for (const [name, { retryable, hint }] of Object.entries(LANDING_FAILURE_CLASSES))
      expect(known).toContainEqual([`\`${name}\``, retryable ? 'yes' : 'no', hint]);
  });

  it('has every phase, with the step of the ticket', async () => {
    const known = (await rows()).map((cells) => [cells[0], cells.at(-1)]);
    for (const phase of LANDING_PHASES) {
      const step: StepValue = `${stepOfPhase(phase)}`;
      expect(known).toContainEqual([`\`${phase}\``, `${step} ${stepName(step)}`]);
    }
  });
});
