import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { readLog } from '../../../activities/logs/read-log.ts';
import { safeText } from '../../../activities/logs/safe-text.ts';

async function textOf(input: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of input) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
/** The text, given to `safeText` in pieces of so many bytes. */
const safe = (content: string | Buffer, pieceBytes: number) =>
  textOf(
    safeText(
      (async function* () {
        const bytes = Buffer.from(content as string);
        for (let at = 0; at < bytes.length; at += pieceBytes)
          yield bytes.subarray(at, at + pieceBytes);
      })(),
    ),
  );

describe.each([1, 2, 3, 7, 4_096])('the text of a log that comes %d bytes at a time', (size) => {
  it.each<[string, string | Buffer, string]>([
    ['plain text', 'ä → 🧨\n\tdone\n', 'ä → 🧨\n\tdone\n'],
    ['colours', '\u001b[1;31merror\u001b[0m: no\n\u001b[m', 'error: no\n'],
    ['a title for the window', '\u001b]0;evil\u0007x', '␛]0;evil␇x'],
    ['an answer-back', '\u001b[6n\u001bP+q\u001b\\', '␛[6n␛P+q␛\\'],
    ['a colour that hides another sequence', '\u001b[\u001b[0m2Jx', '␛[2Jx'],
    ['a colour without an end', `\u001b[${'1;'.repeat(100)}m`, `␛[${'1;'.repeat(100)}m`],
    ['an escape character at the end', 'x\u001b[3', 'x␛[3'],
    ['ends of lines of DOS', 'a\r\nb\r\n', 'a\nb\n'],
    ['a line that overwrites itself', 'bad\rgood\n', 'bad␍good\n'],
    ['carriage returns before the end', 'a\r\r\nb\r', 'a␍\nb␍'],
    ['other control characters', 'a\0b\bc\vd\fe\u007f', 'a␀b␈c␋d␌e␡'],
    ['control characters of Latin-1', 'a\u009b2J\u0085b', 'a<U+009B>2J<U+0085>b'],
    ['another direction', 'a\u202eb\u2066c\u200f\u061c', 'a<U+202E>b<U+2066>c<U+200F><U+061C>'],
    ['ends of lines that only some see', 'a\u2028b\u2029', 'a<U+2028>b<U+2029>'],
    ['bytes that are no text', Buffer.from([0x61, 0xff, 0xc3, 0x0a, 0xe2, 0x82]), 'a��\n�'],
    ['nothing', '', ''],
  ])('%s', async (_what, content, expected) => {
    expect(await safe(content, size)).toBe(expected);
    const lines = (text: string) => text.split('\n').length;
    expect(lines(expected)).toBe(lines(Buffer.from(content as string).toString('latin1')));
  });
});

describe('a log as it is stored', () => {
  const MAX_BYTES = 100_000;
  const stored = (content: Buffer) => textOf(readLog(Readable.from([content]), MAX_BYTES));

  it('is safe, whether it came compressed or not', async () => {
    const content = Buffer.from('\u001b[32mok\u001b[0m\u202e\n');
    expect(await stored(content)).toBe('ok<U+202E>\n');
    expect(await stored(gzipSync(content))).toBe('ok<U+202E>\n');
  });

  it('is bounded after it was made safe, by whole characters', async () => {
    for (const content of [Buffer.alloc(90_000), Buffer.from(`x${'🧨'.repeat(30_000)}`)]) {
      const text = await stored(content);
      expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES + 200);
      expect(text).toContain('cut after 100000 bytes');
      expect(text).not.toContain('\uFFFD');
    }
  });

  it('is bounded where a thousand times as much would come out, and memory stays flat', async () => {
    // In a process that does nothing else: what other tests have left to be collected counts nowhere.
    const program = `
      import { gzipSync } from 'node:zlib';
      import { Readable } from 'node:stream';
      import { readLog } from './activities/logs/read-log.ts';
      const bomb = gzipSync(Buffer.alloc(100_000_000));
      const before = process.memoryUsage().rss;
      let bytes = 0;
      for await (const piece of readLog(Readable.from([bomb]), ${MAX_BYTES})) bytes += piece.length;
      console.log(JSON.stringify({ bytes, grownBytes: process.memoryUsage().rss - before }));`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { bytes, grownBytes } = JSON.parse(stdout) as { bytes: number; grownBytes: number };
    expect(bytes).toBeLessThan(MAX_BYTES + 200);
    expect(grownBytes).toBeLessThan(60_000_000);
  }, 60_000);
});
