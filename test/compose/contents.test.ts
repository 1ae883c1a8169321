import type { Call } from './builds.ts';
import { assertRestored, readContents } from './contents.ts';

const ENDED = { id: 7, queue: 'check-7' };
const LOG = '/store/logs/7/build.log';

/** An API that has so many builds and tickets, and of its files these. */
function apiWith(builds: number, tickets: number, files: Record<string, string>): Call {
  const answers: Record<string, string> = {
    '/api/v1/build/?limit=1': JSON.stringify({ meta: { total_count: builds } }),
    '/api/v1/ticket/?limit=1': JSON.stringify({ meta: { total_count: tickets } }),
    '/api/v1/build/7/events/?limit=200': JSON.stringify({
      objects: [{ seq: 1 }, { seq: 2, logs: [`http://127.0.0.1:8080${LOG}`] }],
    }),
    ...files,
  };
  return async (_method, path) => ({
    status: path in answers ? 200 : 404,
    headers: {},
    text: answers[path] ?? 'no such thing',
  });
}

describe('an installation that is restored', () => {
  const before = () => readContents(apiWith(12, 12, { [LOG]: 'built\n' }), ENDED);

  it('has what it had', async () => {
    const restored = apiWith(12, 12, { [LOG]: 'built\n' });
    await assertRestored(restored, ENDED, await before());
  });

  it.each([
    ['tickets', apiWith(12, 0, { [LOG]: 'built\n' }), '12 builds and 0 tickets'],
    ['builds', apiWith(4, 12, { [LOG]: 'built\n' }), '4 builds and 12 tickets'],
    ['what is in a log', apiWith(12, 12, { [LOG]: '' }), '12 builds and 12 tickets'],
    ['a log', apiWith(12, 12, {}), '404 instead of 200'],
  ])('is refused where it lacks %s', async (_, restored, why) => {
    await expect(assertRestored(restored, ENDED, await before())).rejects.toThrow(why);
  });
});
