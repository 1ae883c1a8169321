import { readFileSync } from 'node:fs';
import { RENEWED_WHY } from '../../domain/landings/tested-again.ts';

const found = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([, one]) => one);

const PAGES = ['docs/tutorial.md', 'docs/landing-tutorial.md'];

it.each(PAGES)('%s leaves no setting of Airline in the first terminal', (path) => {
  const page = readFileSync(path, 'utf8');
  const words = (texts: (string | undefined)[]) => texts.flatMap((text = '') => text.split(' '));
  const set = words(found(page, /^\$ export (AIRLINE_.*)$/gm)).map((one) => one.split('=')[0]);
  expect(set).not.toEqual([]);
  expect(words(found(page, /`unset ([^`]+)`/g))).toEqual(expect.arrayContaining(set));
});

it.each(PAGES)('%s removes only folders that it has made, or Airline for it', (path) => {
  const page = readFileSync(path, 'utf8');
  const removed = found(page, /`rm -r ([^`]+)`/g).flatMap((folders = '') => folders.split(' '));
  // Without -p, it fails where the reader has such a folder already.
  const made = found(page, /^\$ mkdir (?!-)(\S+)/gm);
  const ofAirline = found(page, /\bAIRLINE_STATE_DIR=(\S+)/g);
  expect(removed).toHaveLength(2);
  expect([...made, ...ofAirline]).toEqual(expect.arrayContaining(removed));
});

it('docs/landing-tutorial.md says why a landing is tested again as the command does', () => {
  const page = readFileSync('docs/landing-tutorial.md', 'utf8');
  const shown = found(page, /^\S+Z {2}imaging +(.* 1\.1 built)$/gm);
  const twice = ['greeting 1.1 built', `${RENEWED_WHY}; greeting 1.1 built`];
  expect(shown).toEqual([...twice, ...twice]);
});
