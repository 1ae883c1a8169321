import amqp from 'amqplib';
import { isFinal, type ProgressMessage } from '../../domain/builds/progress.ts';

/**
 * Consumes a build's progress queue with a plain AMQP client, as the lander does, until the final message.
 *
 * @param onMessage awaited for each message before it is acknowledged
 * @returns all messages, in the order in which they came
 * @throws Error where the final message has not come within the limit
 */
export async function consumeProgress(options: {
  amqpUrl: string;
  queue: string;
  limitMs: number;
  onMessage: (message: ProgressMessage) => Promise<void>;
}): Promise<ProgressMessage[]> {
  const connection = await amqp.connect(options.amqpUrl);
  const messages: ProgressMessage[] = [];
  let timer: NodeJS.Timeout | undefined;
  try {
    const channel = await connection.createChannel();
    await channel.assertQueue(options.queue, { durable: true });
    await channel.prefetch(1);
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`No final message came within ${options.limitMs / 1_000} s.`)),
        options.limitMs,
      );
      const take = async (delivery: amqp.ConsumeMessage | null) => {
        if (!delivery) throw new Error(`The queue ${options.queue} was deleted.`);
        const message = JSON.parse(delivery.content.toString('utf8')) as ProgressMessage;
        messages.push(message);
        await options.onMessage(message);
        channel.ack(delivery);
        if (isFinal(message.message)) resolve();
      };
      connection.once('close', () => reject(new Error('The broker closed the connection.')));
      channel.consume(options.queue, (delivery) => void take(delivery).catch(reject)).catch(reject);
    });
    await channel.close();
    return messages;
  } finally {
    clearTimeout(timer);
    await connection.close();
  }
}
