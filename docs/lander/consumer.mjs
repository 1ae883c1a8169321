// Follows a build of Airline to its end: node consumer.mjs <AMQP URL> <progress_trigger>
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, credentials } from 'amqplib';

const [url, queue] = process.argv.slice(2);
const { username, password } = new URL(url); // amqplib itself reads letters outside ASCII wrongly
const account = [username, password].map((part) => decodeURIComponent(part || 'guest'));
const lastSeq = new Map(); // by build: after a lost connection, messages come again

/** Hands each message over once, in order. @returns the one that has `exit` */
async function follow(handle) {
  const connection = await connect(url, { credentials: credentials.plain(...account) });
  try {
    const channel = await connection.createChannel();
    await channel.prefetch(1);
    return await new Promise((resolve, reject) => {
      for (const each of [connection, channel]) each.on('error', reject).on('close', reject);
      const onDelivery = (delivery) => {
        if (!delivery) return reject(new Error('the queue was deleted'));
        const message = JSON.parse(delivery.content.toString());
        const { build_id: build, seq } = message;
        const last = lastSeq.get(build) ?? 0;
        if (last > 0 && seq > last + 1)
          console.error(`Lost: GET /api/v1/build/${build}/events/?after=${last}`);
        if (seq > last) {
          handle(message);
          lastSeq.set(build, seq);
        }
        channel.ack(delivery);
        return message.exit && resolve(message);
      };
      // Airline makes the queue: of one made here, it would not know what is lost.
      channel.consume(queue, onDelivery).catch(reject);
    });
  } finally {
    await connection.close().catch(() => undefined);
  }
}

const show = ({ seq, state, phase }) => console.log(seq, state, phase);
const wait = (error) => sleep(5_000, console.error('No broker, or no queue yet:', error?.message));
let last;
while (!last) last = await follow(show).catch(wait);
if (last.failure) throw new Error(`${last.failure.message}. ${last.failure.hint}`);
for (const { name, version, url: file } of last.packages) console.log(name, version, file);
