import { readFileSync } from 'node:fs';

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
