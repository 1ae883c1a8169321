import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { createSupervisor } from '../../main/embedded/supervisor.ts';
import { stackAddresses } from './addresses.ts';
import { S3_ACCOUNT, s3Part, s3ProgramStep } from './s3-part.ts';
import { freePorts } from './stack/free-ports.ts';

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
  const directory = mkdtempSync(join(temporaryDir, 's3-'));
  const [runDir, logDir] = ['run', 'logs'].map((name) => join(directory, name)) as [string, string];
  for (const folder of [runDir, logDir]) mkdirSync(folder);
  const { api: port } = await freePorts();
  const host = '127.0.0.1';
  const url = `http://${host}:${port}`;
  const supervisor = createSupervisor({ stateDir: directory, runDir, logDir }, () => undefined);
  await supervisor.start([
    s3ProgramStep({ cacheDir, projectDir: process.cwd() }),
    s3Part({ cacheDir, directory, host, port }),
  ]);
  const clients: S3Client[] = [];
  const clientAt = (endpoint: string) => {
    const client = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: S3_ACCOUNT,
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
