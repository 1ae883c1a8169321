import { loadConfig } from '../../../main/config/config.ts';
import {
  composeEnvironment,
  loadEmbeddedConfig,
  neededPorts,
  replacedParts,
} from '../../../main/embedded/environment.ts';

const compose = (environment: Record<string, string>) =>
  composeEnvironment(loadEmbeddedConfig(environment), {
    directories: { state: '/var/lib/airline', cache: '/var/cache/airline' },
    databasePassword: 'secret',
    credentialsFile: '/var/lib/airline/launchpad-credentials',
    buildUser: 'airline',
    projectDir: '/srv/airline',
  });

describe('with nothing set', () => {
  it('every process gets the addresses of the embedded parts', () => {
    expect(compose({}).environment).toMatchObject({
      AIRLINE_STATE_DIR: '/var/lib/airline',
      AIRLINE_CACHE_DIR: '/var/cache/airline',
      AIRLINE_DATABASE_URL: 'postgres://airline:secret@127.0.0.1:5433/airline',
      AIRLINE_AMQP_URL: 'amqp://guest:guest@127.0.0.1:5673/',
      AIRLINE_TEMPORAL_ADDRESS: '127.0.0.1:7233',
      AIRLINE_TEMPORAL_UI_URL: 'http://127.0.0.1:8233',
      AIRLINE_LAUNCHPAD_URL: 'http://127.0.0.1:8085',
      AIRLINE_LAUNCHPAD_CREDENTIALS: '/var/lib/airline/launchpad-credentials',
      AIRLINE_UPLOAD_HOST: '127.0.0.1:2121',
      AIRLINE_STAND_IN_BUILD_USER: 'airline',
      AIRLINE_WORKFLOW_BUNDLE: '/srv/airline/dist/workflows.js',
    });
  });

  it('what is composed is itself a valid configuration', () => {
    expect(() => loadConfig(compose({}).environment)).not.toThrow();
  });

  it('the local PPA is looked at often', () => {
    expect(compose({}).environment).toMatchObject({
      AIRLINE_POLL_INITIAL_MS: '1000',
      AIRLINE_POLL_MAX_MS: '3000',
    });
  });

  it('no part is replaced', () => {
    expect(replacedParts(loadConfig({}))).toEqual([]);
  });
});

describe('what is set', () => {
  it('wins, and moves the addresses that depend on it', () => {
    const { environment, addresses } = compose({
      AIRLINE_TEMPORAL_PORT: '17233',
      AIRLINE_API_PORT: '18080',
      AIRLINE_POLL_MAX_MS: '5000',
    });
    expect(environment).toMatchObject({
      AIRLINE_TEMPORAL_ADDRESS: '127.0.0.1:17233',
      AIRLINE_POLL_MAX_MS: '5000',
    });
    expect(addresses.api).toBe('http://127.0.0.1:18080');
  });

  it.each([
    ['AIRLINE_DATABASE_URL', 'postgres://db.internal/airline', ['postgresql']],
    ['AIRLINE_AMQP_URL', 'amqp://mq.internal/', ['epmd', 'rabbitmq']],
    ['AIRLINE_TEMPORAL_ADDRESS', 'temporal.internal:7233', ['temporal-cli', 'temporal']],
  ])('%s replaces the embedded part', (name, value, parts) => {
    expect(replacedParts(loadConfig({ [name]: value }))).toEqual(parts);
    expect(compose({ [name]: value }).environment[name]).toBe(value);
  });

  it('a Temporal elsewhere has no Web UI that we know of', () => {
    expect(
      compose({ AIRLINE_TEMPORAL_ADDRESS: 'temporal.internal:7233' }).environment,
    ).not.toHaveProperty('AIRLINE_TEMPORAL_UI_URL');
  });

  it('a Launchpad elsewhere replaces the stand-in, with its own intervals and credentials', () => {
    const launchpad = {
      AIRLINE_LAUNCHPAD_URL: 'https://api.launchpad.net',
      AIRLINE_UPLOAD_HOST: 'ppa.launchpad.net:21',
    };
    const { environment, addresses } = compose(launchpad);
    expect(replacedParts(loadConfig(launchpad))).toEqual(['stand-in']);
    expect(environment).toMatchObject({ ...launchpad, AIRLINE_POLL_MAX_MS: '60000' });
    expect(environment).not.toHaveProperty('AIRLINE_LAUNCHPAD_CREDENTIALS');
    expect(addresses.aptRepository).toBeUndefined();
  });

  it.each([
    ['AIRLINE_LAUNCHPAD_URL', 'https://api.launchpad.net'],
    ['AIRLINE_UPLOAD_HOST', 'ppa.launchpad.net'],
  ])(
    '%s alone is refused, for builds would be watched where nothing was uploaded',
    (name, value) => {
      expect(() => loadEmbeddedConfig({ [name]: value })).toThrow(
        /AIRLINE_LAUNCHPAD_URL and AIRLINE_UPLOAD_HOST/,
      );
    },
  );
});

describe('the ports that are needed', () => {
  it('are those of the parts that start', () => {
    const ports = neededPorts(loadConfig({}), ['postgresql', 'api']);
    expect(ports.map(({ port, variable }) => [port, variable])).toEqual([
      [5433, 'AIRLINE_DATABASE_PORT'],
      [8080, 'AIRLINE_API_PORT'],
    ]);
  });

  it('count three for RabbitMQ', () => {
    const ports = neededPorts(loadConfig({ AIRLINE_AMQP_PORT: '6000' }), ['rabbitmq']);
    expect(ports.map(({ port }) => port)).toEqual([6000, 26000, 26001]);
  });
});
