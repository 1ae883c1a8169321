import { batchedRead } from '../../../models/sql/batched-read.ts';

/** A table that remembers what was read together. */
function table(rows: Readonly<Record<number, string>>) {
  const reads: (readonly number[])[] = [];
  const read = batchedRead(async (keys: readonly number[]) => {
    reads.push([...keys]);
    if (keys.includes(13)) throw new Error('not 13');
    return new Map(keys.flatMap((key) => (rows[key] === undefined ? [] : [[key, rows[key]]])));
  });
  return { read, reads };
}

describe('reads by key', () => {
  it('are one read where they are asked for in one turn of the event loop', async () => {
    const { read, reads } = table({ 1: 'one', 2: 'two' });
    const asked = [read(1), Promise.resolve().then(() => read(2)), read(3), read(1)];
    expect(await Promise.all(asked)).toEqual(['one', 'two', undefined, 'one']);
    expect(reads).toEqual([[1, 3, 1, 2]]);
  });

  it('never join a read that has begun', async () => {
    let answerFirst = (_rows: ReadonlyMap<number, string>) => {};
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const read = batchedRead(
      jest
        .fn<Promise<ReadonlyMap<number, string>>, [readonly number[]]>()
        .mockImplementationOnce(() => {
          begin();
          return new Promise((resolve) => (answerFirst = resolve));
        })
        .mockResolvedValue(new Map([[1, 'new']])),
    );
    const first = read(1);
    await begun;
    expect(await read(1)).toBe('new');
    answerFirst(new Map([[1, 'old']]));
    expect(await first).toBe('old');
  });

  it('fail together, and not those that come later', async () => {
    const { read } = table({ 1: 'one' });
    const outcomes = await Promise.allSettled([read(1), read(13)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await read(1)).toBe('one');
  });
});
