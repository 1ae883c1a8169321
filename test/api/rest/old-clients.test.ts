import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { useApi } from '../serve.ts';

const PYTHON = resolve('node_modules/.cache/python/bin/python');
const LIMIT_MS = 300_000;

/** Runs a script of test/clients/ against the API. It fails at the first answer that is not as expected. */
async function run(program: string, script: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [`test/clients/${script}`, ...args], {
    timeout: LIMIT_MS,
    maxBuffer: 10_000_000,
  }).catch((error: { stdout?: string; stderr?: string; message: string }) => {
    throw new Error(`${error.stdout?.slice(-2_000)}\n${error.stderr ?? error.message}`);
  });
  return stdout;
}

beforeAll(() => {
  if (!existsSync(PYTHON))
    throw new Error('The Python clients are missing: run `sh scripts/set-up.sh test`.');
});

describe.each([
  ['a slash', [], 'append_slash=True'],
  ['no slash', ['--no-slash'], 'append_slash=False'],
])('slumber, with %s at the end of addresses', (_, options, setting) => {
  const api = useApi();

  it(
    'takes a ticket through its life',
    async () => {
      const transcript = await run(PYTHON, 'ticket_life_slumber.py', api.now.url, ...options);
      expect(transcript).toContain(setting);
      expect(await api.now.database.Ticket.count()).toBe(4);
    },
    LIMIT_MS,
  );
});

describe.each(['off', 'token'] as const)('drest, with authentication %s', (authentication) => {
  const api = useApi({ authentication });

  it(
    'discovers the resources, reads their schemas and changes lists',
    async () => {
      const transcript = await run(
        PYTHON,
        'lists_drest.py',
        api.now.url,
        ...(authentication === 'off' ? [] : await credentials()),
      );
      expect(transcript).toContain('api.sourcepackage.patch_list');
      expect(await api.now.database.SourcePackageUpload.count()).toBe(0);
    },
    LIMIT_MS,
  );

  async function credentials(): Promise<[string, string]> {
    const { text } = await api.now.database.AccessToken.issue(
      { name: 'drest', scopes: ['read', 'ticket:write'] },
      { defaultMs: LIMIT_MS, maxMs: LIMIT_MS },
      { actor: 'test' },
    );
    return ['drest', text];
  }
});

describe('curl', () => {
  const api = useApi();

  it(
    'takes a ticket through its life',
    async () => {
      await run('sh', 'ticket_life.sh', api.now.url);
      expect(await api.now.database.Ticket.count()).toBe(1);
    },
    LIMIT_MS,
  );
});
