import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { createS3Client, createS3Store, loadS3Packages } from '../../store/s3.ts';

/** What an S3 server refuses a request with. */
export type S3Refusal = { status: number; code: string; message: string };

/** There is no such object. */
export const NO_SUCH_KEY: S3Refusal = {
  status: 404,
  code: 'NoSuchKey',
  message: 'The specified key does not exist.',
};
/** The server has no such bucket. */
export const NO_SUCH_BUCKET: S3Refusal = {
  status: 404,
  code: 'NoSuchBucket',
  message: 'The specified bucket does not exist.',
};
/** The server's disks take nothing more. */
export const FULL: S3Refusal = {
  status: 507,
  code: 'InsufficientStorage',
  message: 'There is no space left.',
};

/** Starts an S3 server whose answers a test makes, on a free port of loopback. */
export async function startScriptedS3(
  reply: (request: IncomingMessage, answer: ServerResponse) => void,
): Promise<{ url: string; stop(): void }> {
  const server = createServer(reply);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Answers with an error. As of every server, that to a HEAD has no body. */
export function refuse(
  request: IncomingMessage,
  answer: ServerResponse,
  { status, code, message }: S3Refusal,
): void {
  request.resume();
  answer.writeHead(status, { 'Content-Type': 'application/xml' });
  answer.end(
    request.method === 'HEAD'
      ? ''
      : `<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  );
}

/** Answers to the request that begins the upload of a file in parts. */
export function beginUpload(request: IncomingMessage, answer: ServerResponse): void {
  request.resume();
  answer.writeHead(200, { 'Content-Type': 'application/xml' });
  answer.end(
    '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>',
  );
}

/**
 * Opens a data store in a bucket of such a server.
 *
 * @param options.answerMs as of createS3Store
 * @param options.maxAttempts of one request
 * @param options.requestHandler how long a connection may carry nothing, for one
 */
export async function openStoreAt(
  url: string,
  {
    answerMs,
    ...settings
  }: { answerMs?: number } & Pick<S3ClientConfig, 'maxAttempts' | 'requestHandler'> = {},
) {
  const packages = await loadS3Packages();
  const client = createS3Client(packages, {
    endpoint: url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'airline', secretAccessKey: 'a secret of the tests' },
    ...settings,
  });
  const store = createS3Store({
    packages,
    address: 's3://artifacts/airline',
    baseUrl: 'http://127.0.0.1:8080/store/',
    onSweepFailed: () => undefined,
    client,
    ...(answerMs === undefined ? {} : { answerMs }),
  });
  return { store, close: () => client.destroy() };
}
