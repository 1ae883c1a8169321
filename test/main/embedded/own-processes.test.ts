import { loadConfig } from '../../../main/config/config.ts';
import { ownParts } from '../../../main/embedded/own-processes.ts';
import type { Part } from '../../../main/embedded/part.ts';

/** The own part of a name, by some settings. */
function part(name: string, variables: Record<string, string> = {}): Part | undefined {
  return ownParts({
    config: loadConfig(variables),
    addresses: {
      api: '',
      databaseUrl: '',
      amqpUrl: '',
      temporalAddress: '127.0.0.1:1',
      temporalUiUrl: undefined,
      launchpadUrl: '',
      uploadHost: '',
      aptRepository: undefined,
    },
    projectDir: process.cwd(),
    environment: {},
    bundle: async () => undefined,
  }).find((one) => one.name === name);
}

it('gives the api the time that it leaves and drains for before it is killed', () => {
  const api = part('api', { AIRLINE_LEAVE_MS: '30000', AIRLINE_DRAIN_MS: '10000' });
  expect(api).toMatchObject({ stopTimeoutMs: 45_000 });
});

it('lets migrations wait for those of another process, and rewrite large tables', async () => {
  const migrations = part('migrations');
  let limitMs = 0;
  if (migrations?.kind === 'step')
    await migrations.perform({
      signal: new AbortController().signal,
      note: () => undefined,
      run: async (_, timeoutMs) => void (limitMs = timeoutMs),
    });
  expect(limitMs).toBeGreaterThan(12 * 3_600_000);
});
