import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Client } from 'basic-ftp';
import { programArguments } from '../support/program.ts';
import { freePorts } from '../support/stack/free-ports.ts';
import { makeSigningKey, type SigningKey } from '../support/signing-key.ts';
import { makeSource } from '../support/source-package.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const STAND_IN = await programArguments('main/stand-in.ts');

jest.setTimeout(600_000);

let directory: string;
let key: SigningKey;
let ports: Awaited<ReturnType<typeof freePorts>>;
let standIn: ChildProcess;

const archiveUrl = () => `http://127.0.0.1:${ports.standIn}/devel/~me/+archive/ubuntu/test`;
const start = async () => {
  standIn = spawn(process.execPath, STAND_IN, {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      AIRLINE_STATE_DIR: directory,
      AIRLINE_CACHE_DIR: join(directory, 'cache'),
      AIRLINE_STAND_IN_SCRIPT: join(directory, 'script.json'),
      AIRLINE_STAND_IN_PORT: String(ports.standIn),
      AIRLINE_STAND_IN_FTP_PORT: String(ports.standInFtp),
      AIRLINE_STAND_IN_PROCESS_INTERVAL_MS: '20',
    },
  });
  await until(
    'the stand-in to answer',
    async () =>
      (await fetch(`http://127.0.0.1:${ports.standIn}/devel/`).catch(() => undefined))?.ok === true,
    300_000,
  );
};
const end = async (signal: NodeJS.Signals) => {
  const exited = once(standIn, 'exit');
  standIn.kill(signal);
  return (await exited) as [number | null, string | null];
};
const records = async () =>
  (
    (await (await fetch(`${archiveUrl()}?ws.op=getBuildRecords`)).json()) as {
      entries: Record<string, unknown>[];
    }
  ).entries;

beforeAll(async () => {
  key = await makeSigningKey();
});
beforeEach(async () => {
  directory = temporaryDirectory();
  ports = await freePorts();
  mkdirSync(join(directory, 'stand-in', 'keys'), { recursive: true });
  writeFileSync(join(directory, 'stand-in', 'keys', 'me.asc'), key.publicKey);
  writeFileSync(
    join(directory, 'script.json'),
    JSON.stringify({
      sources: {
        interrupted: {
          builds: {
            '*': {
              attempts: [[{ state: 'Currently building' }], [{ state: 'Successfully built' }]],
            },
          },
        },
      },
    }),
  );
  await start();
});
afterEach(async () => {
  if (standIn.exitCode === null && standIn.signalCode === null) await end('SIGKILL');
});

const connect = async () => {
  const client = new Client(60_000);
  await client.access({ host: '127.0.0.1', port: ports.standInFtp, user: 'anonymous' });
  await client.cd('~me/ubuntu/test/noble');
  return client;
};

it('killed while it builds, it knows every record afterwards, and builds again', async () => {
  const source = await makeSource({
    directory: join(directory, 'source'),
    name: 'interrupted',
    key,
  });
  const client = await connect();
  for (const file of source.files) await client.uploadFrom(file, basename(file));
  client.close();
  const build = await until('the build to run', async () =>
    (await records()).find((one) => one['buildstate'] === 'Currently building'),
  );
  await end('SIGKILL');
  await start();
  const built = await until('the build to end', async () =>
    (await records()).find((one) => one['buildstate'] === 'Successfully built'),
  );
  expect(built['self_link']).toBe(build['self_link']);
  expect(built['datecreated']).toBe(build['datecreated']);
});

it('killed in the middle of a session, it discards what had arrived', async () => {
  const source = await makeSource({
    directory: join(directory, 'source'),
    name: 'interrupted',
    key,
  });
  const client = await connect();
  for (const file of source.files) await client.uploadFrom(file, basename(file));
  await end('SIGKILL');
  client.close();
  await start();
  const incoming = join(directory, 'stand-in', 'incoming');
  expect(readdirSync(incoming)).toEqual(['.sessions']);
  expect(readdirSync(join(incoming, '.sessions'))).toEqual([]);
  expect(await records()).toEqual([]);
});

it('killed with copies to make, it makes each of them once', async () => {
  const script = (afterMs: number) => {
    const path = join(directory, 'script.json');
    const copies = { '*': { afterMs }, kept: { held: 'New' } };
    writeFileSync(`${path}.new`, JSON.stringify({ copies }));
    renameSync(`${path}.new`, path);
  };
  const devel = `http://127.0.0.1:${ports.standIn}/devel`;
  const target = `${devel}/ubuntu/+archive/primary`;
  const list = async (url: string) =>
    ((await (await fetch(url)).json()) as { entries: Record<string, unknown>[] }).entries;
  const post = (url: string, parameters: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      headers: { Authorization: 'OAuth oauth_consumer_key="test", oauth_token="a-token"' },
      body: new URLSearchParams(parameters),
    });
  const published = async (archive: string, source = 'copied') =>
    (await list(`${archive}?ws.op=getPublishedSources&source_name=${source}`))[0];
  script(86_400_000);
  for (const name of ['copied', 'kept']) {
    const made = await makeSource({ directory: join(directory, name), name, key });
    const client = await connect();
    for (const file of made.files) await client.uploadFrom(file, basename(file));
    client.close();
    await until('the source', () => published(archiveUrl(), name));
    const answer = await post(target, {
      'ws.op': 'copyPackage',
      source_name: name,
      version: '1.0',
      from_archive: archiveUrl(),
      to_pocket: 'Release',
    });
    expect(answer.status).toBe(200);
  }
  await end('SIGKILL');
  script(0);
  await start();

  await until('the copy', () => published(target));
  const held = `${devel}/ubuntu/noble?ws.op=getPackageUploads`;
  await until('the copy that is held', async () => (await list(held)).length > 0);
  const origin = String((await published(archiveUrl()))?.['self_link']);
  expect((await post(origin, { 'ws.op': 'requestDeletion' })).status).toBe(200);
  await end('SIGKILL');
  await start();

  expect(await list(`${target}?ws.op=getPublishedSources`)).toHaveLength(1);
  expect(await list(held)).toMatchObject([{ package_name: 'kept', status: 'New' }]);
  expect((await published(archiveUrl()))?.['status']).toBe('Deleted');
});

it('told to stop, it ends at once and with code 0', async () => {
  expect(await end('SIGTERM')).toEqual([0, null]);
});
