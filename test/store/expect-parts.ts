import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { DataStore } from '../../store/store.ts';

/** Expects that a data store gives the part of a file that is chosen by the file's size and version. */
export async function expectParts(store: DataStore): Promise<void> {
  await store.put('part.log', Readable.from([Buffer.from('0123456789')]));
  const whole = await store.get('part.log', { choosePart: () => undefined });
  const { version } = whole ?? {};

  const got = await store.get('part.log', {
    choosePart: (file) => {
      expect(file).toMatchObject({ sizeBytes: 10, version });
      return { start: file.sizeBytes - 4, end: 7 };
    },
  });

  expect(got).toMatchObject({ sizeBytes: 10, version, part: { start: 6, end: 7 } });
  expect(await text(got?.stream ?? Readable.from([]))).toBe('67');
  expect(whole).not.toHaveProperty('part');
  expect(await text(whole?.stream ?? Readable.from([]))).toBe('0123456789');
  expect(await store.get('none', { choosePart: () => ({ start: 0, end: 1 }) })).toBeUndefined();
}
