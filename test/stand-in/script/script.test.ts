import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { openScript, scriptedSteps } from '../../../stand-in/script/script.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let path: string;
let logged: string[];
const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
const writeText = (text: string) => {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
};
const write = (script: unknown) => writeText(JSON.stringify(script));
beforeEach(() => {
  path = join(temporaryDirectory(), 'script.json');
  logged = [];
});

it.each([
  ['no JSON', '{'],
  ['an unknown field', '{"source": {}}'],
  ['a fault that does nothing', '{"web": [{"match": "x"}]}'],
  ['a cut outside STOR', '{"ftp": [{"on": "CWD", "cutAfterBytes": 3}]}'],
  ['a reply that would end the line', '{"ftp": [{"on": "CWD", "reply": "550 no\\r\\n226 yes"}]}'],
  ['a build without states', '{"sources": {"x": {"builds": {"*": []}}}}'],
])('refuses %s, and names the file', (_, text) => {
  writeText(text);
  expect(() => openScript(path, logger)).toThrow(`The script ${path} is malformed`);
});

it('takes up new contents, and keeps the old ones where the new ones are malformed', () => {
  write({ sources: { hello: { rejected: 'first' } } });
  const script = openScript(path, logger);
  write({ sources: { hello: { rejected: 'second' } } });
  expect(script.source('hello')?.rejected).toBe('second');
  writeText('{"sources": ');
  expect(script.source('hello')?.rejected).toBe('second');
  expect(logged.join('')).toMatch(/the script stays as it was/);
  write({ sources: { hello: { rejected: 'third' } } });
  expect(script.source('hello')?.rejected).toBe('third');
});

it('counts faults, and counts anew with other faults', () => {
  write({ web: [{ match: '/a', status: 503, count: 1 }] });
  const script = openScript(path, logger);
  expect(script.takeWebFault('GET', '/b')).toBeUndefined();
  expect(script.takeWebFault('GET', '/a')?.status).toBe(503);
  expect(script.takeWebFault('GET', '/a')).toBeUndefined();
  write({ sources: { a: {} }, web: [{ match: '/a', status: 503, count: 1 }] });
  expect(script.takeWebFault('GET', '/a')).toBeUndefined();
  write({ web: [{ match: '/a', status: 500, count: 1 }] });
  expect(script.takeWebFault('GET', '/a')?.status).toBe(500);
});

it('keeps to a time window', () => {
  jest.useFakeTimers({ now: 1_000_000 });
  try {
    write({ web: [{ status: 503, afterMs: 100, forMs: 100 }] });
    const script = openScript(path, logger);
    expect(script.takeWebFault('GET', '/')).toBeUndefined();
    jest.setSystemTime(1_000_150);
    expect(script.takeWebFault('GET', '/')?.status).toBe(503);
    jest.setSystemTime(1_000_200);
    expect(script.takeWebFault('GET', '/')).toBeUndefined();
  } finally {
    jest.useRealTimers();
  }
});

it('gives each attempt its steps, the last ones for all that follow', () => {
  write({
    sources: {
      '*': { builds: { '*': [{ state: 'Failed to build' }] } },
      hello: {
        builds: {
          amd64: { attempts: [[{ state: 'Chroot problem' }], [{ state: 'Successfully built' }]] },
        },
      },
    },
  });
  const script = openScript(path, logger);
  const states = (name: string, architecture: string, attempt: number) =>
    scriptedSteps(script.source(name), architecture, attempt)?.map(({ state }) => state);
  expect(states('hello', 'amd64', 1)).toEqual(['Chroot problem']);
  expect(states('hello', 'amd64', 2)).toEqual(['Successfully built']);
  expect(states('hello', 'amd64', 9)).toEqual(['Successfully built']);
  expect(states('hello', 'arm64', 1)).toBeUndefined();
  expect(states('other', 'arm64', 1)).toEqual(['Failed to build']);
  expect(states('constructor', 'amd64', 1)).toEqual(['Failed to build']);
});
