import { readFileSync } from 'node:fs';

/** A numbered line of a log, cut off or not. */
const LOG_LINE = /^ {2}[> ] +\d+ │ .*$/gm;

const logLines = (page: string) => [...readFileSync(page, 'utf8').matchAll(LOG_LINE)].flat();

describe('README.md', () => {
  it('shows the log of the build that the tutorial and the picture show, line for line', () => {
    const ofTutorial = logLines('docs/tutorial.md');
    const shown = logLines('README.md').map((line) => line.replace(/…$/, ''));
    expect(shown).not.toHaveLength(0);
    const elsewhere = shown.filter((line) => !ofTutorial.some((one) => one.startsWith(line)));
    expect(elsewhere).toEqual([]);
  });
});
