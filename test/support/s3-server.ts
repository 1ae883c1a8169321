import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { foreignEnvironment } from '../../main/config/config.ts';
import { buildWithGo } from '../../main/embedded/go-build.ts';
import { createSupervisor } from '../../main/embedded/supervisor.ts';
import { stackAddresses } from './addresses.ts';
import { freePorts } from './stack/free-ports.ts';

/** As in tools/s3/go.mod. */
const VERSION = '1.8.0';
const ACCESS = 'airline';
const SECRET = 'a secret of the tests';
const BUCKET = 'artifacts';
/** Enough for the faults of a test, and soon over. */
const MAX_TRIES = 4;

/** An S3 server of a test's own: versitygw, on a folder. */
export type S3Server = {
  url: string;
  bucket: string;
  client: S3Client;
  /** A client that reaches the server by another address, such as a proxy's. */
  clientAt(url: string): S3Client;
  stop(): Promise<void>;
};

/** Starts a server with one empty bucket; the first time on a machine it is built with Go. */
export async function startS3Server(): Promise<S3Server> {
  const { cacheDir, temporaryDir } = stackAddresses();
  const program = join(cacheDir, `versitygw-${VERSION}`);
  const directory = mkdtempSync(join(temporaryDir, 's3-'));
  const folders = ['run', 'logs', 'data', 'metadata'].map((name) => join(directory, name));
  for (const folder of folders) mkdirSync(folder);
  const [runDir, logDir, data, metadata] = folders as [string, string, string, string];
  const { api: port } = await freePorts();
  const url = `http://127.0.0.1:${port}`;
  const supervisor = createSupervisor({ stateDir: directory, runDir, logDir }, () => undefined);
  await supervisor.start([
    {
      kind: 'service',
      name: 's3',
      needs: [],
      prepare: async (context) => {
        if (existsSync(program)) return;
        await buildWithGo(
          {
            projectDir: process.cwd(),
            module: 'tools/s3',
            program: 'github.com/versity/versitygw/cmd/versitygw',
            target: program,
            environment: foreignEnvironment(),
          },
          context,
        );
      },
      command: () => ({
        file: program,
        // Not every file system has the extended attributes that it would keep the metadata in.
        args: ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', '--sidecar', metadata, data],
        cwd: directory,
        environment: { ROOT_ACCESS_KEY_ID: ACCESS, ROOT_SECRET_ACCESS_KEY: SECRET },
      }),
      isReady: async () => (await fetch(url)).status === 403,
      startTimeoutMs: 60_000,
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 10_000,
      summary: () => url,
    },
  ]);
  const clients: S3Client[] = [];
  const clientAt = (endpoint: string) => {
    const client = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: ACCESS, secretAccessKey: SECRET },
      maxAttempts: MAX_TRIES,
    });
    clients.push(client);
    return client;
  };
  const client = clientAt(url);
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  return {
    url,
    bucket: BUCKET,
    client,
    clientAt,
    async stop() {
      for (const each of clients) each.destroy();
      await supervisor.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
