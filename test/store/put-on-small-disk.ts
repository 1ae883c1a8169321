import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createFileStore } from '../../store/file.ts';

// A program: the store in the folder that its argument names, on a disk of 256 KiB.

const directory = process.argv[2] ?? '';
const store = createFileStore({ directory, baseUrl: 'http://127.0.0.1:8080/store/' });
const put = (key: string, bytes: number) => store.put(key, Readable.from([Buffer.alloc(bytes)]));

await store.put('before', Readable.from(['kept']));
const fault = await put('large', 1_048_576).catch((error: Error) => error);
const large = await store.get('large');
const before = await store.get('before');
console.log(
  JSON.stringify({
    fault: fault instanceof Error ? `${fault.name}: ${fault.message}` : fault,
    large: large !== undefined,
    before: before && (await text(before.stream)),
    // There is room for it only where nothing of the large one is left.
    after: (await put('after', 131_072)).isKept,
  }),
);
