import type { Channel, GetMessage } from 'amqplib';

/** Empties a queue. @returns what was in it, in order */
export async function readQueue(channel: Channel, queue: string): Promise<GetMessage[]> {
  const messages: GetMessage[] = [];
  for (;;) {
    const message = await channel.get(queue, { noAck: true });
    if (!message) return messages;
    messages.push(message);
  }
}
