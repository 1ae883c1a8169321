import { TESTER_TRY_MS } from '../../../domain/testing/tester-activities.ts';
import {
  publicUrl,
  sourceUrlRule,
  storeUrl,
  webhookUrlRule,
} from '../../../main/config/addresses.ts';
import {
  ConfigError,
  foreignEnvironment,
  loadConfig,
  SETTINGS,
} from '../../../main/config/config.ts';

const problemsOf = (environment: Record<string, string>): string[] => {
  try {
    loadConfig(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message.split('\n').slice(1);
  }
  return [];
};

it('takes every default where nothing is set', () => {
  const config = loadConfig({});
  expect(config).toMatchObject({
    server: { host: '127.0.0.1', port: 8080 },
    api: { authentication: 'off' },
  });
  expect(config.addresses.databaseUrl).toBeUndefined();
});

it('reads numbers as numbers, and takes an empty variable for an unset one', () => {
  expect(loadConfig({ AIRLINE_API_PORT: '9090', AIRLINE_AMQP_PORT: '' })).toMatchObject({
    server: { port: 9090 },
    ports: { amqp: 5673 },
  });
});

it('cannot be changed once it is read', () => {
  const config = loadConfig({}) as { server: { port: number }; signingKey: string | undefined };
  expect(() => (config.server.port = 1)).toThrow(TypeError);
  expect(() => (config.signingKey = '1')).toThrow(TypeError);
});

it('names every wrong variable in a line of its own', () => {
  expect(
    problemsOf({
      AIRLINE_API_PORT: 'http',
      AIRLINE_DATABASE_PORT: '70000',
      AIRLINE_AUTH: 'maybe',
      AIRLINE_API_HOST: '127.0.0.1',
    }),
  ).toEqual([
    expect.stringMatching(/^AIRLINE_DATABASE_PORT: .*"70000"/),
    expect.stringMatching(/^AIRLINE_API_PORT: .*"http"/),
    expect.stringMatching(/^AIRLINE_AUTH: .*"maybe"/),
  ]);
});

it('has a heartbeat well before a client takes a stream for dead', () => {
  expect(problemsOf({ AIRLINE_EVENT_HEARTBEAT_MS: '30000' })).toEqual([]);
  expect(problemsOf({ AIRLINE_EVENT_HEARTBEAT_MS: '60000' })).toEqual([
    expect.stringMatching(/^AIRLINE_EVENT_HEARTBEAT_MS: .*30000.*"60000"/),
  ]);
});

it('closes no connection to the API that only waits for the next heartbeat of a stream', () => {
  const longest = { AIRLINE_EVENT_HEARTBEAT_MS: '30000' };
  expect(problemsOf({ ...longest, AIRLINE_CONNECTION_IDLE_MS: '31000' })).toEqual([]);
  expect(problemsOf({ AIRLINE_CONNECTION_IDLE_MS: '10000' })).toEqual([
    expect.stringMatching(/^AIRLINE_CONNECTION_IDLE_MS: .*31000.*"10000"/),
  ]);
});

it('takes a fraction for a factor alone, not for what can only be whole', () => {
  const variables = {
    AIRLINE_API_PORT: '8080.5',
    AIRLINE_DATABASE_POOL: '2.5',
    AIRLINE_POLL_MAX_MS: '0.5',
    AIRLINE_BODY_MAX_BYTES: '1024.0',
  };
  expect(problemsOf({ ...variables, AIRLINE_POLL_FACTOR: '1.5' }).toSorted()).toEqual(
    Object.entries(variables)
      .map(([name, given]) => `${name}: is not a whole number (given: "${given}")`)
      .toSorted(),
  );
  expect(loadConfig({ AIRLINE_POLL_FACTOR: '1.5' }).build.pollFactor).toBe(1.5);
});

it('takes no longer time than a timer can wait, unless no timer waits for it', () => {
  const monthMs = String(30 * 86_400_000);
  expect(
    problemsOf({
      AIRLINE_DRAIN_MS: monthMs,
      AIRLINE_LANDING_APPROVAL_MS: monthMs,
      AIRLINE_KEEP_EVENTS_MS: monthMs,
    }),
  ).toEqual([expect.stringMatching(/^AIRLINE_DRAIN_MS: .*"2592000000"/)]);
  expect(loadConfig({ AIRLINE_DRAIN_MS: String(24 * 86_400_000) })).toBeDefined();
});

it.each([
  { variable: 'AIRLINE_TEST_MS', mostMs: 11 * 3_600_000, tryMs: TESTER_TRY_MS.run },
  { variable: 'AIRLINE_TEST_IMAGE_MS', mostMs: 100 * 60_000, tryMs: TESTER_TRY_MS.image },
  // A look, the wait for the image that another landing has begun, and one of its own.
  { variable: 'AIRLINE_TEST_IMAGE_MS', mostMs: 100 * 60_000, tryMs: TESTER_TRY_MS.baseImage / 3 },
])(
  'takes no more for $variable than fits into a try of $tryMs ms',
  ({ variable, mostMs, tryMs }) => {
    expect(mostMs).toBeLessThan(tryMs);
    expect(problemsOf({ [variable]: String(mostMs) })).toEqual([]);
    expect(problemsOf({ [variable]: String(mostMs + 1) })).toEqual([
      expect.stringMatching(`^${variable}: .*<=${mostMs} .*"${mostMs + 1}"`),
    ]);
  },
);

it('keeps files for ever, or for a day at least: what was just stored again is about to be named', () => {
  const dayMs = 86_400_000;
  const kept = (ms: number) =>
    loadConfig({ AIRLINE_KEEP_FILES_MS: String(ms) }).fileSweep.keepFilesMs;
  expect([kept(0), kept(dayMs)]).toEqual([0, dayMs]);
  for (const shortMs of [1, 600_000, dayMs - 1])
    expect(problemsOf({ AIRLINE_KEEP_FILES_MS: String(shortMs) })).toEqual([
      `AIRLINE_KEEP_FILES_MS: is neither 0 nor a day (86400000) at least (given: "${shortMs}")`,
    ]);
});

it('takes origins of web pages, each as a browser writes it, and never all there are', () => {
  const origins = 'https://tickets.example.org, http://127.0.0.1:8081';
  expect(loadConfig({ AIRLINE_CORS_ORIGINS: origins }).api.corsOrigins).toEqual([
    'https://tickets.example.org',
    'http://127.0.0.1:8081',
  ]);
  for (const wrong of ['*', 'https://tickets.example.org/', 'tickets.example.org', 'null'])
    expect(problemsOf({ AIRLINE_CORS_ORIGINS: wrong })).toEqual([
      expect.stringMatching(/^AIRLINE_CORS_ORIGINS: is not a list of origins/),
    ]);
});

it('needs the address that callers use, where the API binds to more than this machine', () => {
  const urlOf = (environment: Record<string, string>) => publicUrl(loadConfig(environment));
  expect(urlOf({})).toBe('http://127.0.0.1:8080');
  expect(urlOf({ AIRLINE_API_HOST: '::1' })).toBe('http://[::1]:8080');
  for (const host of ['0.0.0.0', '::', '10.0.0.1']) {
    expect(() => urlOf({ AIRLINE_API_HOST: host })).toThrow('AIRLINE_PUBLIC_URL is not set');
    const given = 'https://airline.example.com';
    expect(urlOf({ AIRLINE_API_HOST: host, AIRLINE_PUBLIC_URL: given })).toBe(given);
  }
});

it('writes the address of the API in one way, however it is given: that of each file begins with it', () => {
  for (const given of [
    'https://airline.example.com',
    'HTTPS://Airline.Example.com:443/',
    'https://airline.example.com:443',
  ]) {
    const config = loadConfig({ AIRLINE_PUBLIC_URL: given, AIRLINE_FORMER_URLS: given });
    expect(publicUrl(config)).toBe('https://airline.example.com');
    expect(storeUrl(config)).toBe('https://airline.example.com/store');
    expect(sourceUrlRule(config).formerStoreUrls).toEqual([storeUrl(config)]);
  }
  const below = loadConfig({ AIRLINE_PUBLIC_URL: 'https://example.com/Airline/' });
  expect(storeUrl(below)).toBe('https://example.com/Airline/store');
});

it.each([
  'airline.example.com',
  'airline.example.com:8443',
  'ftp://airline.example.com',
  'https://reader@airline.example.com',
  'https://airline.example.com/?',
  'https://airline.example.com/#top',
])('takes no %s as the address of the API', (given) => {
  expect(problemsOf({ AIRLINE_PUBLIC_URL: given, AIRLINE_FORMER_URLS: given })).toEqual([
    expect.stringMatching(/^AIRLINE_PUBLIC_URL: is no http or https URL such as/),
    expect.stringMatching(/^AIRLINE_FORMER_URLS: is not a list of http or https URLs such as/),
  ]);
});

it.each([['%zz:secret'], ['airline:%zz'], ['j%FCrgen:secret']])(
  'names an address whose user or password is not in percent-encoding, before it connects: %s',
  (who) => {
    expect(problemsOf({ AIRLINE_AMQP_URL: `amqp://${who}@127.0.0.1/` })).toEqual([
      'AIRLINE_AMQP_URL: has a user or password that is not in percent-encoding (given: "***@127.0.0.1/")',
    ]);
    expect(problemsOf({ AIRLINE_AMQP_URL: 'amqp://j%C3%BCrgen:50%25@127.0.0.1/' })).toEqual([]);
    expect(problemsOf({ AIRLINE_AMQP_URL: '127.0.0.1' })).toEqual([
      'AIRLINE_AMQP_URL: is no URL of amqp: or amqps: (given: "127.0.0.1")',
    ]);
  },
);

it('takes URLs of the web and a host with its port for the parts that have such an address', () => {
  expect(
    problemsOf({
      AIRLINE_TEMPORAL_UI_URL: 'temporal.example.com',
      AIRLINE_LAUNCHPAD_URL: 'api.launchpad.net',
      AIRLINE_UPLOAD_HOST: 'ftp://ppa.launchpad.net',
    }),
  ).toEqual([
    expect.stringMatching(/^AIRLINE_TEMPORAL_UI_URL: is no URL of http: or https:/),
    expect.stringMatching(/^AIRLINE_LAUNCHPAD_URL: is no URL of http: or https:/),
    expect.stringMatching(/^AIRLINE_UPLOAD_HOST: is no host:port/),
  ]);
});

it('knows sources by the addresses that the API had before', () => {
  const rule = sourceUrlRule(
    loadConfig({
      AIRLINE_PUBLIC_URL: 'https://airline.example.com',
      AIRLINE_FORMER_URLS: 'http://127.0.0.1:8080/, https://former.example.com',
    }),
  );
  expect(rule).toMatchObject({
    storeUrl: 'https://airline.example.com/store',
    formerStoreUrls: ['http://127.0.0.1:8080/store', 'https://former.example.com/store'],
  });
  expect(problemsOf({ AIRLINE_FORMER_URLS: 'former.example.com' })).toEqual([
    expect.stringMatching(/^AIRLINE_FORMER_URLS: is not a list of http or https URLs/),
  ]);
});

it('lets those of the command be, which runs in the same shell', () => {
  expect(problemsOf({ AIRLINE_URL: 'http://127.0.0.1:8081', AIRLINE_PROFILE: 'work' })).toEqual([]);
});

it('refuses a variable that it does not know, which is likely a slip of the pen', () => {
  expect(problemsOf({ AIRLINE_DATABSE_URL: 'postgres://127.0.0.1/airline' })).toEqual([
    'AIRLINE_DATABSE_URL: there is no such variable',
  ]);
});

it('lets what is set win over a fallback, and a fallback over the default', () => {
  const fallbacks = { AIRLINE_POLL_INITIAL_MS: '1000', AIRLINE_POLL_MAX_MS: '3000' };
  expect(loadConfig({ AIRLINE_POLL_MAX_MS: '9000' }, fallbacks)).toMatchObject({
    build: { pollInitialMs: 1_000, pollMaxMs: 9_000 },
  });
});

it('keeps every variable that has a value, as the text that makes the same configuration', () => {
  const config = loadConfig({
    AIRLINE_POLL_MAX_MS: '9000',
    AIRLINE_AWAIT_PUBLICATION: 'on',
    AIRLINE_SOURCE_HOSTS: 'a.example, b.example:8443',
  });
  expect(config.variables).toMatchObject({
    AIRLINE_POLL_MAX_MS: '9000',
    AIRLINE_AWAIT_PUBLICATION: 'on',
    AIRLINE_POLL_FACTOR: '2',
  });
  expect(config.variables).not.toHaveProperty('AIRLINE_DATABASE_URL');
  expect(loadConfig(config.variables)).toEqual(config);
});

it('lets callers with tokens, who may be elsewhere, name this machine only where that is said', () => {
  const hosts = (environment: Record<string, string>) => {
    const config = loadConfig(environment);
    return [sourceUrlRule(config).hosts, webhookUrlRule(config).hosts];
  };
  const here = ['127.0.0.1', 'localhost'];
  expect(hosts({})).toEqual([here, here]);
  expect(hosts({ AIRLINE_AUTH: 'token' })).toEqual([[], []]);
  expect(hosts({ AIRLINE_AUTH: 'token', AIRLINE_SOURCE_HOSTS: 'LOCALHOST' })).toEqual([
    ['localhost'],
    [],
  ]);
});

it('has each value in a place of its own', () => {
  const places = SETTINGS.map(({ path }) => path.join('.'));
  for (const place of places)
    expect(places.filter((other) => `${other}.`.startsWith(`${place}.`))).toEqual([place]);
});

it('documents every variable with a unit and a description', () => {
  for (const { setting } of SETTINGS)
    expect(setting).toMatchObject({
      variable: expect.stringMatching(/^AIRLINE_[A-Z_]+$/) as string,
      unit: expect.any(String) as string,
      description: expect.stringMatching(/^\S.{10,}\.$/) as string,
    });
});

it("hands on what is neither its own nor npm's", () => {
  expect(
    foreignEnvironment({
      PATH: '/usr/bin',
      https_proxy: 'http://127.0.0.1:3128',
      AIRLINE_API_PORT: '1',
      npm_lifecycle_event: 'start',
    }),
  ).toEqual({ PATH: '/usr/bin', https_proxy: 'http://127.0.0.1:3128' });
});
