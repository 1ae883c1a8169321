import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { assertFreePorts } from '../../../main/embedded/ports.ts';

let server: Server;
let taken: number;

beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  taken = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

const needed = (port: number, variable = 'AIRLINE_API_PORT') => ({
  port,
  host: '127.0.0.1',
  variable,
  part: 'the API',
});

it('names the variable that moves a taken port', async () => {
  await expect(assertFreePorts([needed(taken)])).rejects.toThrow(
    `Port ${taken} on 127.0.0.1, needed for the API, is taken by another program; AIRLINE_API_PORT moves it.`,
  );
});

it('names every taken port at once', async () => {
  await expect(
    assertFreePorts([needed(taken), needed(taken, 'AIRLINE_TEMPORAL_PORT')]),
  ).rejects.toThrow(/AIRLINE_API_PORT moves it\.\n.*AIRLINE_TEMPORAL_PORT/);
});

it('refuses a port that two parts would share', async () => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  await expect(
    assertFreePorts([needed(port), needed(port, 'AIRLINE_DATABASE_PORT')]),
  ).rejects.toThrow(`Port ${port} is given twice; AIRLINE_DATABASE_PORT moves one.`);
});

it('refuses a number that is no port', async () => {
  await expect(assertFreePorts([needed(70_001, 'AIRLINE_AMQP_PORT')])).rejects.toThrow(
    'give AIRLINE_AMQP_PORT a lower value',
  );
});
