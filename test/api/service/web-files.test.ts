import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readWebFile } from '../../../api/service/web-files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

describe('a file of the web UI', () => {
  it('is in memory once, however many read it slowly, until it is another', async () => {
    const directory = temporaryDirectory();
    const read = () => readWebFile(directory, 'airline.mjs', []);
    const write = (text: string) => writeFile(join(directory, 'airline.mjs'), text);
    expect(await read()).toBeUndefined();

    await write('one');
    const [first, second] = await Promise.all([read(), read()]);
    expect(first?.bytes.toString()).toBe('one');
    expect(second?.bytes).toBe(first?.bytes);

    await write('another');
    const next = await read();
    expect(next?.bytes.toString()).toBe('another');
    expect(next?.etag).not.toBe(first?.etag);
  });
});
