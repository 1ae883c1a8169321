import { sharedRead } from '../../../models/sql/shared-read.ts';

describe('reads under a key', () => {
  it('are one read where they are asked for in one turn of the event loop', async () => {
    const read = sharedRead<string>();
    const page = jest.fn(async () => 'a page');
    const other = jest.fn(async () => 'another page');
    const asked = [
      read('1', page),
      Promise.resolve().then(() => read('1', page)),
      read('2', other),
    ];
    expect(await Promise.all(asked)).toEqual(['a page', 'a page', 'another page']);
    expect(page).toHaveBeenCalledTimes(1);
  });

  it('never join a read that has begun', async () => {
    const read = sharedRead<string>();
    let answerFirst = (_page: string) => {};
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const first = read('1', () => {
      begin();
      return new Promise((resolve) => (answerFirst = resolve));
    });
    await begun;
    expect(await read('1', async () => 'new')).toBe('new');
    answerFirst('old');
    expect(await first).toBe('old');
  });

  it('fail together, and not those of another key or those that come later', async () => {
    const read = sharedRead<string>();
    const fail = async () => Promise.reject(new Error('the database is away'));
    const outcomes = await Promise.allSettled([
      read('1', fail),
      read('1', fail),
      read('2', async () => 'a page'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(await read('1', async () => 'a page')).toBe('a page');
  });
});
