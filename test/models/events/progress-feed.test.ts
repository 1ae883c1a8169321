import { getEventListeners } from 'node:events';
import pino from 'pino';
import { createProgressFeed } from '../../../models/events/progress-feed.ts';
import { until } from '../../support/until.ts';

afterEach(() => jest.restoreAllMocks());

it('leaves nothing behind of the connections that it could not make or has lost', async () => {
  const signals = new Set<AbortSignal>();
  const listen = jest.spyOn(AbortSignal.prototype, 'addEventListener');
  const logger = pino({ level: 'silent' });
  const lost = jest.spyOn(logger, 'warn');
  // Nobody listens there.
  const databaseUrl = 'postgres://nobody@127.0.0.1:1/none';
  const feed = createProgressFeed({ databaseUrl, changesMs: 5, retryMs: 1, logger });
  const countListeners = () => {
    for (const signal of listen.mock.contexts) signals.add(signal as AbortSignal);
    return [...signals].flatMap((signal) => getEventListeners(signal, 'abort')).length;
  };

  feed.subscribe('build', 1, () => undefined);
  const failures = await until('a connection to fail', () => lost.mock.calls.length || undefined);
  const atFirst = countListeners();
  await until('some more to fail', () => lost.mock.calls.length >= failures + 5);

  expect(atFirst).toBeGreaterThan(0);
  expect(countListeners()).toBeLessThanOrEqual(atFirst + 1);
  await feed.close();
});
