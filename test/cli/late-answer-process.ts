import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ModernFakeTimers } from '@jest/fake-timers';
import { patientFetch } from '../../cli/server/patient-fetch.ts';

// Sends a file to a server that answers an hour after it has all of it, by the time of this process, which no other
// test has used: Node's own fetch counts by a timer that it makes once. Prints what came of it.
//   node --import tsx test/cli/late-answer-process.ts

const time = new ModernFakeTimers({ config: { fakeTimers: {} } as never, global: globalThis });
time.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    time.advanceTimersByTime(3_600_000);
    response.writeHead(201, { location: '/store/uploads/large' }).end('stored');
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const outcome = await patientFetch(new URL(`http://127.0.0.1:${port}/store/uploads/large`), {
  method: 'PUT',
  body: new Blob(['what is large']).stream(),
  duplex: 'half',
}).then(
  async (answer) => [answer.status, answer.headers.get('location'), await answer.text()],
  ({ cause }: Error) => [String(cause)],
);
process.stdout.write(JSON.stringify(outcome), () => process.exit());
