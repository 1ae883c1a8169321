import { lookup } from 'node:dns';
import { postWebhook } from '../../progress/post-webhook.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const post = (url: string) =>
  postWebhook(url, '{}', { headers: {}, lookup, signal: new AbortController().signal });

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

it('a scheme in capitals is what it is in small letters', async () => {
  expect(await post(receiver.url.replace('http:', 'HTTP:'))).toMatchObject({ statusCode: 204 });
  const overTls = post(receiver.url.replace('http:', 'HTTPS:'));
  await expect(overTls).rejects.toThrow('SSL routines');
});
