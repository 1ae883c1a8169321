import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { Service } from '../../../main/embedded/part.ts';
import { ownParts } from '../../../main/embedded/own-processes.ts';
import { databasePassword, databaseUrl, postgresPart } from '../../../main/embedded/postgres.ts';
import { amqpUrl, rabbitmqParts } from '../../../main/embedded/rabbitmq.ts';
import { openDatabase } from '../../../models/database.ts';
import { S3_ACCOUNT, s3Part } from '../../support/s3-part.ts';
import { temporalClusterParts } from '../../support/stack/temporal-cluster.ts';
import { strikePart, type Strike } from '../blows.ts';
import type { Site } from '../site.ts';
import { createClocks } from './clocks.ts';
import { MACHINES_OF_LANDINGS } from './machine-blows.ts';
import { createMachine } from './machine.ts';
import { buildNetwork } from './network.ts';

const NAMES = Object.keys(MACHINES_OF_LANDINGS);
/** Each machine has its own, so that all can be what they usually are. */
const PORTS = {
  database: 5_432,
  amqp: 5_672,
  temporal: [7_233, 6_933, 7_235, 6_935, 7_234, 6_934, 7_239, 6_939],
  s3: 9_000,
  standIn: 8_085,
  standInFtp: 2_121,
  api: 8_080,
} as const;
const BUCKET = 'artifacts';
/** What a machine runs besides the part of its name. */
const BESIDE: Readonly<Record<string, string>> = { epmd: 'rabbitmq' };
const DAY_MS = 86_400_000;

/**
 * A machine for each part: a network namespace with an address and a clock of its own. It needs a network of its own
 * already (`runInOwnNetwork`).
 *
 * @param options.clocks how far each machine's clock is from the true time at the beginning, in seconds
 */
export async function manyMachines(options: {
  directory: string;
  stateDir: string;
  clocks: Readonly<Record<string, number>>;
}): Promise<Site> {
  const { directory, stateDir } = options;
  const network = await buildNetwork(NAMES, stateDir);
  const clocks = createClocks(directory, options.clocks);
  const { hostOf, landerHost } = network;
  const password = databasePassword(stateDir);
  const apiUrls = ['api-1', 'api-2'].map((name) => `http://${hostOf(name)}:${PORTS.api}`) as [
    string,
    string,
  ];
  const launchpadUrl = `http://${hostOf('stand-in')}:${PORTS.standIn}`;
  const s3Url = `http://${hostOf('s3')}:${PORTS.s3}`;
  await Promise.all(NAMES.map((name) => network.add(name)));

  return {
    workers: 3,
    apiUrls,
    landerHost,
    variables: {
      AIRLINE_AUTH: 'token',
      AIRLINE_PUBLIC_URL: apiUrls[0],
      AIRLINE_SOURCE_HOSTS: landerHost,
      AIRLINE_DATABASE_URL: databaseUrl(PORTS.database, password, { host: hostOf('postgresql') }),
      AIRLINE_AMQP_URL: amqpUrl(PORTS.amqp, hostOf('rabbitmq')),
      AIRLINE_TEMPORAL_ADDRESS: `${hostOf('temporal')}:${PORTS.temporal[0]}`,
      AIRLINE_LAUNCHPAD_URL: launchpadUrl,
      AIRLINE_LAUNCHPAD_CREDENTIALS: credentialsFile(directory),
      // As the embedded stack has it for its own stand-in.
      AIRLINE_LAUNCHPAD_CALLS_PER_SECOND: '1000',
      AIRLINE_UPLOAD_HOST: `${hostOf('stand-in')}:${PORTS.standInFtp}`,
      AIRLINE_APT_URL: `${launchpadUrl}/apt`,
      AIRLINE_STAND_IN_HOST: hostOf('stand-in'),
      AIRLINE_STAND_IN_PORT: String(PORTS.standIn),
      AIRLINE_STAND_IN_FTP_PORT: String(PORTS.standInFtp),
      AIRLINE_API_PORT: String(PORTS.api),
      AIRLINE_STORE: `s3://${BUCKET}`,
      AWS_ENDPOINT_URL_S3: s3Url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: S3_ACCOUNT.accessKeyId,
      AWS_SECRET_ACCESS_KEY: S3_ACCOUNT.secretAccessKey,
    },
    apiVariables: [{ AIRLINE_API_HOST: hostOf('api-1') }, { AIRLINE_API_HOST: hostOf('api-2') }],
    otherParts({ config, directories, account, projectDir, environment, addresses }) {
      const folder = (name: string) => {
        const path = join(stateDir, name);
        mkdirSync(path, { recursive: true });
        return path;
      };
      return [
        postgresPart({
          directories,
          port: PORTS.database,
          password,
          account,
          durable: true,
          host: hostOf('postgresql'),
        }),
        ...rabbitmqParts({
          directories,
          port: PORTS.amqp,
          account,
          limits: config.queueLimits,
          host: hostOf('rabbitmq'),
        }),
        ...temporalClusterParts({
          databaseUrl: config.addresses.databaseUrl ?? '',
          directory: folder('temporal'),
          cacheDir: directories.cache,
          projectDir,
          account,
          host: hostOf('temporal'),
          ports: PORTS.temporal,
        }),
        {
          ...s3Part({
            cacheDir: directories.cache,
            directory: folder('s3'),
            host: hostOf('s3'),
            port: PORTS.s3,
          }),
          complete: () => makeBucket(s3Url),
        },
        ...ownParts({ config, addresses, projectDir, environment }).filter(
          ({ name }) => name === 'stand-in',
        ),
      ];
    },
    placed(service) {
      const machine = machineOf(service.name);
      return {
        ...service,
        command: () => {
          const command = service.command();
          return {
            ...command,
            within: network.within(machine),
            environment: { ...command.environment, ...clocks.environmentOf(machine) },
          };
        },
      } satisfies Service;
    },
    token: (url) => makeToken(url),
    victims: (parts) =>
      new Map(
        NAMES.flatMap((name) => {
          const main = parts.get(name);
          if (!main) return [];
          const beside = [...parts.values()].filter((part) => BESIDE[part.name] === name);
          return [[name, createMachine(name, { main, beside }, network)] as const];
        }),
      ),
    strike: strikeMachine(network, clocks),
    async close() {
      clocks.close();
      await network.close();
    },
  };
}

function strikeMachine(
  network: Awaited<ReturnType<typeof buildNetwork>>,
  clocks: ReturnType<typeof createClocks>,
): Strike {
  return async (blow, victim) => {
    switch (blow.kind) {
      case 'kill':
      case 'pause':
        return strikePart(blow, victim);
      case 'clock':
        clocks.set(blow.victim, blow.offsetS);
        return async () => undefined;
      default:
        return network.harm({ machine: blow.victim, fault: blow });
    }
  };
}

function machineOf(part: string): string {
  return BESIDE[part] ?? part;
}

async function makeBucket(endpoint: string): Promise<void> {
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: S3_ACCOUNT,
  });
  try {
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  } catch (error) {
    if ((error as Error).name !== 'BucketAlreadyOwnedByYou') throw error;
  } finally {
    client.destroy();
  }
}

async function makeToken(url: string): Promise<string> {
  const database = openDatabase(url, 1);
  try {
    const { text } = await database.AccessToken.issue(
      { name: 'lander', scopes: ['read', 'ticket:write', 'build:write', 'landing:approve'] },
      { defaultMs: DAY_MS, maxMs: DAY_MS },
      { actor: 'chaos' },
    );
    return text;
  } finally {
    await database.close();
  }
}

function credentialsFile(directory: string): string {
  const path = join(directory, 'launchpad-credentials');
  writeFileSync(
    path,
    '[1]\nconsumer_key = airline\nconsumer_secret = \naccess_token = chaos\naccess_secret = chaos\n',
    { mode: 0o600 },
  );
  return path;
}
