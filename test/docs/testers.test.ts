import { readFileSync } from 'node:fs';
import { requiredAddress, sourceUrlRule } from '../../main/config/addresses.ts';
import { loadConfig, type Config } from '../../main/config/config.ts';

const PAGE = readFileSync('docs/testers.md', 'utf8');
const [, needs = ''] = /^## What a machine needs\n([^]*?)\n## /m.exec(PAGE) ?? [];

/** What a worker has that knows the data store by more than one address, and the PPA's files on another host. */
const OF_WORKER = {
  AIRLINE_PUBLIC_URL: 'https://airline.example.com',
  AIRLINE_FORMER_URLS: 'http://127.0.0.1:8080',
  AIRLINE_LOG_HOSTS: 'librarian.example.com',
};
const [, beside = ''] = /^## Beside Compose\n([^]*?)\n## /m.exec(PAGE) ?? [];

it.each([
  ['on a machine', needs],
  ['beside Compose', beside],
])('a tester %s that has what the page names reads sources where a worker does', (_, section) => {
  const named = new Set(section.match(/AIRLINE_\w+/g));
  const ofTester = loadConfig(
    Object.fromEntries(Object.entries(OF_WORKER).filter(([name]) => named.has(name))),
  );
  const ofWorker = loadConfig(OF_WORKER);
  expect(sourceUrlRule(ofTester)).toEqual(sourceUrlRule(ofWorker));
  expect(ofTester.logs.hosts).toEqual(ofWorker.logs.hosts);
});

it('the user of the tests is made as in the image of a tester', () => {
  const words = (text: string) => text.replaceAll(/[\s\\]+/g, ' ');
  const dockerfile = words(readFileSync('Dockerfile', 'utf8'));
  const [, block = ''] = /^ *```sh\n([^]*?)^ *```$/m.exec(needs) ?? [];
  const commands = block.trim().split('\n').map(words);
  expect(commands).toHaveLength(2);
  for (const command of commands) expect(dockerfile).toContain(command.trim());
});

describe('landings of an Airline that Compose runs', () => {
  const COMPOSE = readFileSync('docker-compose.yml', 'utf8');
  const [tunnel = '', variables = ''] = [...beside.matchAll(/^```sh\n([^]*?)^```$/gm)].map(
    ([, block = '']) => block,
  );

  it('are told which distribution the tester of its own is for, and where those of Ubuntu go', () => {
    const [, base] = /^FROM node:\S+-(\w+)-slim AS base$/m.exec(
      readFileSync('Dockerfile', 'utf8'),
    ) ?? [''];
    expect(base).toBe('bookworm');
    const paragraphs = readFileSync('docs/operations.md', 'utf8').split('\n\n');
    const own = paragraphs.findIndex((text) => text.includes('Write `COMPOSE_PROFILES=tester`'));
    expect(paragraphs[own]).toContain("takes the landings of Debian's series alone");
    expect(paragraphs[own - 1]).toContain(
      '[run testers on machines with Ubuntu](testers.md#beside-compose)',
    );
  });

  it('have a tester elsewhere that reaches what it needs, by the ports that Compose publishes', () => {
    const forwarded = [...tunnel.matchAll(/-L (\d+):127\.0\.0\.1:(\d+)/g)].map(
      ([, ...both]) => both,
    );
    for (const [here, there] of forwarded) {
      expect(here).toBe(there);
      expect(COMPOSE).toContain(`'127.0.0.1:${there}:`);
    }
    const given = variables.trim().split('\n');
    const config = loadConfig(
      Object.fromEntries(
        given.map((line) => /^(\w+)=(.*)$/.exec(line)?.slice(1) as [string, string]),
      ),
    );
    const asked = [
      ...readFileSync('main/tester.ts', 'utf8').matchAll(/requiredAddress\(config, '(\w+)'\)/g),
    ].map(([, name]) => name as keyof Config['addresses']);
    expect(asked).not.toHaveLength(0);
    for (const name of [...asked, 'temporalAddress'] as const)
      expect(requiredAddress(config, name)).not.toBe('');
    const ports = [`tcp://${config.addresses.temporalAddress}`, config.addresses.databaseUrl];
    expect(new Set(ports.map((address) => new URL(address ?? '').port))).toEqual(
      new Set(forwarded.map(([port]) => port)),
    );
    expect(config.store.address).toMatch(/^s3:/);
    expect(COMPOSE).toContain(`AIRLINE_TEST_USER: ${config.tester.user}`);
  });
});
