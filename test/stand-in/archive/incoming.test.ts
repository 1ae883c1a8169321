import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import pino from 'pino';
import { openAccounts } from '../../../stand-in/archive/accounts.ts';
import { openArchiveState, type ArchiveState } from '../../../stand-in/archive/archive-state.ts';
import { openIncoming } from '../../../stand-in/archive/incoming.ts';
import { layoutOf } from '../../../stand-in/archive/layout.ts';
import { makeSigningKey } from '../../support/signing-key.ts';
import { makeSource } from '../../support/source-package.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const ARCHIVE = '~me/debian/test';
const directory = temporaryDirectory();
const layout = layoutOf(directory);
let state: ArchiveState;
let files: string[];

beforeAll(async () => {
  const key = await makeSigningKey();
  mkdirSync(layout.keysDir, { recursive: true });
  writeFileSync(join(layout.keysDir, 'developer.asc'), key.publicKey);
  const sources = await Promise.all(
    ['one', 'two'].map((name) => makeSource({ directory: join(directory, name), key, name })),
  );
  files = sources.flatMap((source) => source.files);
});
beforeEach(() => (state = openArchiveState(temporaryDirectory())));
afterEach(() => state.close());

/** The queue with an upload of two source packages in one session. */
function open() {
  const folder = join(layout.incomingDir, 'upload-1', ARCHIVE);
  mkdirSync(folder, { recursive: true });
  for (const file of files) copyFileSync(file, join(folder, basename(file)));
  return openIncoming({
    state,
    layout,
    distributions: { debian: ['bookworm'] },
    architectures: ['amd64'],
    accounts: openAccounts(layout.keysDir, undefined),
    script: undefined,
    logger: pino({ level: 'silent' }),
    onAccepted: () => undefined,
  });
}
const published = () => state.sources(ARCHIVE).map(({ source }) => source);
const uploads = () => readdirSync(layout.incomingDir);

it('an upload whose second package could not be processed loses none of the two', async () => {
  const incoming = open();
  const { transact } = state;
  jest
    .spyOn(state, 'transact')
    .mockImplementationOnce(transact)
    .mockImplementationOnce(() => {
      throw new Error('no space left on device');
    });
  await incoming.process();
  expect(published()).toEqual(['one']);
  expect(uploads()).toEqual(['upload-1']);
  await incoming.process();
  expect(published()).toEqual(['one', 'two']);
  expect(uploads()).toEqual([]);
});

it('an upload that is found once more has each package published once', async () => {
  await open().process();
  await open().process();
  expect(published()).toEqual(['one', 'two']);
  expect(state.builds(ARCHIVE)).toHaveLength(2);
  expect(uploads()).toEqual([]);
});
