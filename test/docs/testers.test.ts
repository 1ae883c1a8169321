import { readFileSync } from 'node:fs';
import { sourceUrlRule } from '../../main/config/addresses.ts';
import { loadConfig } from '../../main/config/config.ts';

const [, needs = ''] =
  /^## What a machine needs\n([^]*?)\n## /m.exec(readFileSync('docs/testers.md', 'utf8')) ?? [];

/** What a worker has that lands sources of a data store of the lander's own. */
const OF_WORKER = {
  AIRLINE_PUBLIC_URL: 'https://airline.example.com',
  AIRLINE_FORMER_URLS: 'http://127.0.0.1:8080',
  AIRLINE_SOURCE_HOSTS: 'sources.example.com',
  AIRLINE_SOURCE_PRIVATE: '10.1.0.0/16',
};

it('a tester that has what docs/testers.md names reads the same sources as a worker', () => {
  const named = new Set(needs.match(/AIRLINE_\w+/g));
  const ofTester = Object.fromEntries(
    Object.entries(OF_WORKER).filter(([name]) => named.has(name)),
  );
  expect(sourceUrlRule(loadConfig(ofTester))).toEqual(sourceUrlRule(loadConfig(OF_WORKER)));
});

it('the user of the tests is made as in the image of a tester', () => {
  const words = (text: string) => text.replaceAll(/[\s\\]+/g, ' ');
  const dockerfile = words(readFileSync('Dockerfile', 'utf8'));
  const [, block = ''] = /^ *```sh\n([^]*?)^ *```$/m.exec(needs) ?? [];
  const commands = block.trim().split('\n').map(words);
  expect(commands).toHaveLength(2);
  for (const command of commands) expect(dockerfile).toContain(command.trim());
});
