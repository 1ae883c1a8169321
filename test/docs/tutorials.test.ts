import { readFileSync } from 'node:fs';

const found = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([, one]) => one);

it.each(['docs/tutorial.md', 'docs/landing-tutorial.md'])(
  '%s removes only folders that it has made, or Airline for it',
  (path) => {
    const page = readFileSync(path, 'utf8');
    const removed = found(page, /`rm -r ([^`]+)`/g).flatMap((folders = '') => folders.split(' '));
    // Without -p, it fails where the reader has such a folder already.
    const made = found(page, /^\$ mkdir (?!-)(\S+)/gm);
    const ofAirline = found(page, /\bAIRLINE_STATE_DIR=(\S+)/g);
    expect(removed).toHaveLength(2);
    expect([...made, ...ofAirline]).toEqual(expect.arrayContaining(removed));
  },
);
