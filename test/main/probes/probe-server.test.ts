import { join } from 'node:path';
import { startProbeServer } from '../../../main/probes/probe-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { getFromSocket } from './get-from-socket.ts';

const serve = (address: string, body: string) =>
  startProbeServer(address, {
    '/healthz': async () => ({ status: 200, mediaType: 'text/plain', body }),
  });

it('a process that leaves does not take the socket of the one that came', async () => {
  const address = join(temporaryDirectory(), 'worker.sock');
  const left = await serve(address, 'the old one');
  expect(await getFromSocket(address, '/healthz')).toMatchObject({ body: 'the old one' });
  const came = await serve(address, 'the new one');
  await left.close();
  expect(came.address).toBe(address);
  expect(await getFromSocket(address, '/healthz')).toMatchObject({
    status: 200,
    body: 'the new one',
  });
  await came.close();
});

it('takes the place of a socket that was left there', async () => {
  const address = join(temporaryDirectory(), 'worker.sock');
  await (await serve(address, 'the old one')).close();
  const probes = await serve(address, 'the new one');
  expect(await getFromSocket(address, '/healthz')).toMatchObject({ status: 200 });
  await probes.close();
});

it('says where it cannot listen', async () => {
  const address = join(temporaryDirectory(), 'missing/worker.sock');
  await expect(serve(address, '')).rejects.toThrow(
    `Health and metrics cannot be served at ${address}.`,
  );
});
