import { createSemaphore } from '../../timing/semaphore.ts';

describe('works that share a semaphore', () => {
  it('run so many at once, in the order in which they came, also behind one that fails', async () => {
    const inTurn = createSemaphore(2);
    const begun: string[] = [];
    const ends = new Map<string, (failed: boolean) => void>();
    const start = (name: string) =>
      inTurn(() => {
        begun.push(name);
        return new Promise<void>((resolve, reject) => {
          ends.set(name, (failed) => (failed ? reject(new Error(name)) : resolve()));
        });
      });
    const works = ['a', 'b', 'c', 'd'].map(start);
    const outcomes = Promise.allSettled(works);
    await Promise.resolve();
    expect(begun).toEqual(['a', 'b']);

    ends.get('b')?.(true);
    await expect(works[1]).rejects.toThrow('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    ends.get('a')?.(false);
    await works[0];
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    for (const name of ['c', 'd']) ends.get(name)?.(false);
    expect((await outcomes).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });

  it('wait no longer than they are wanted: one that leaves the line is passed over', async () => {
    const inTurn = createSemaphore(1);
    const begun: string[] = [];
    let end = () => {};
    const first = inTurn(() => new Promise<void>((resolve) => (end = resolve)));
    const leaving = new AbortController();
    const second = inTurn(async () => begun.push('second'), leaving.signal);
    const third = inTurn(async () => begun.push('third'));
    const late = inTurn(
      async () => begun.push('late'),
      AbortSignal.abort(new Error('gone before')),
    );

    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    await expect(late).rejects.toThrow('gone before');
    end();
    await Promise.all([first, third]);
    expect(begun).toEqual(['third']);
  });
});
