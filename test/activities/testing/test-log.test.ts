import { existsSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openTestLog } from '../../../activities/testing/test-log.ts';
import type { TestMachine } from '../../../activities/testing/test-machine.ts';
import type { DataStore } from '../../../store/store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { keepLog } from '../activity.ts';

/** Whether this process has a file open below a folder, be it removed by now. */
function hasOpenFile(folder: string): boolean {
  return readdirSync('/proc/self/fd').some((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(folder);
    } catch {
      return false;
    }
  });
}

/** Opens a log whose content in the data store is read by `stored`. */
async function openLog(logMaxBytes: number) {
  let content = '';
  const folder = temporaryDirectory();
  const log = await openTestLog(
    {
      machine: { makeFolder: async () => folder } as TestMachine,
      store: {
        put: async (_key: string, log: Readable) => (content = await text(log)),
      } as unknown as DataStore,
      logger: keepLog().logger,
      limits: { imageMs: 1_000, testMs: 1_000, logMaxBytes },
    },
    'tests/1/hello.test.log',
  );
  return { log, stored: () => content };
}

it('a log has nothing of what tests print that acts on its reader', async () => {
  const { log, stored } = await openLog(1_000);
  const printed = Buffer.from('a\u001b[31mb\u202ec\r\nPASS\rFAIL');
  for (const byte of printed) log.write(Buffer.from([byte]));
  log.write(Buffer.from('\r'));
  await log.close();
  expect(stored()).toBe('ab<U+202E>c\nPASS␍FAIL␍');
  expect(log.bytes()).toBe(Buffer.byteLength(stored()));
});

it('a log that is too long is cut off at a whole character, and says so', async () => {
  const { log, stored } = await openLog(4);
  log.write(Buffer.from('aäöü'));
  log.write(Buffer.from('more'));
  await log.close();
  expect(stored()).toBe('aä\nairline: the log is cut off here.\n');
});

it('a log is what was written, whatever stands in place of its file by then', async () => {
  const { log, stored } = await openLog(1_000);
  log.write(Buffer.from('of the test\n'));
  const key = join(temporaryDirectory(), 'key');
  writeFileSync(key, 'of the user\n');
  rmSync(join(log.directory, '.log'));
  symlinkSync(key, join(log.directory, '.log'));
  await log.close();
  expect(stored()).toBe('of the test\n');
  await log.abandon();
  expect(hasOpenFile(log.directory)).toBe(false);
});

it('a log that the data store does not take leaves neither its folder nor its file behind', async () => {
  const folder = temporaryDirectory();
  const machine = {
    makeFolder: async () => folder,
    removeFolder: async (path: string) => rmSync(path, { recursive: true }),
  } as TestMachine;
  const put = async (_key: string, log: Readable) => {
    log.on('error', () => {});
    throw new Error('the data store is away');
  };
  const opening = openTestLog(
    {
      machine,
      store: { put } as unknown as DataStore,
      logger: keepLog().logger,
      limits: { imageMs: 1_000, testMs: 1_000, logMaxBytes: 1_000 },
    },
    'tests/1/hello.test.log',
  );
  await expect(opening).rejects.toThrow('the data store is away');
  expect(existsSync(folder)).toBe(false);
  await until('the file is closed', () => !hasOpenFile(folder));
});
