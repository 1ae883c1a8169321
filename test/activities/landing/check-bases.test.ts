import { checkBases } from '../../../activities/landing/check-bases.ts';

const at = (time: string) => new Date(`2026-11-27T${time}:00Z`);

/** Whether images of these times are older than builds that ended at these; null where that is not known. */
async function isOlder(madeAt: string[], endedAt: (string | null)[], unknown: number[] = []) {
  const images = madeAt.map((time, id) => ({ id, createdAt: at(time) }));
  const builds = endedAt.map((time, id) => ({ id, finishedAt: time === null ? null : at(time) }));
  const database = {
    Image: { findAll: async () => images },
    Build: { findAll: async () => builds },
  } as unknown as Parameters<typeof checkBases>[0]['database'];
  const answer = await checkBases({ database })({
    baseImageIds: [...images.map(({ id }) => id), ...unknown],
    buildIds: builds.map(({ id }) => id),
  });
  return answer.isOlder;
}

test('an image that was made after the last build had ended is as new as what was built', async () => {
  expect(await isOlder(['13:20', '13:21'], ['12:50', '13:19'])).toBe(false);
});

test('one of the images that was made before the last build had ended is older', async () => {
  expect(await isOlder(['08:00'], ['12:50', '13:19'])).toBe(true);
  expect(await isOlder(['13:20', '13:00'], ['12:50', '13:19'])).toBe(true);
});

test.each([
  ['a build that has no end', ['13:20'], ['12:50', null], []],
  ['an image that is not there', ['13:20'], ['12:50'], [7]],
] as const)('%s shows no other', async (_, madeAt, endedAt, unknown) => {
  expect(await isOlder([...madeAt], [...endedAt], [...unknown])).toBe(true);
});
