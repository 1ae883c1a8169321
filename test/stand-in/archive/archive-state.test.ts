import fs, { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { openArchiveState } from '../../../stand-in/archive/archive-state.ts';
import { now, type SourcePublication } from '../../../stand-in/archive/records.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const publication = (id: number, fields: Partial<SourcePublication> = {}): SourcePublication => ({
  id,
  archive: '~me/debian/test',
  source: 'hello',
  version: `1.${id}`,
  releaseId: id,
  series: 'bookworm',
  pocket: 'Release',
  component: 'main',
  section: 'misc',
  status: 'Pending',
  createdAt: now(),
  publishedAt: null,
  supersededAt: null,
  removedAt: null,
  removalComment: null,
  signer: 'A'.repeat(40),
  changedBy: 'Me <me@airline.example>',
  uploadId: `upload-${id}`,
  changes: { name: 'hello.changes', sizeBytes: 1, sha256: '0'.repeat(64) },
  files: [],
  ...fields,
});

let directory: string;
let journal: string;
beforeEach(() => {
  directory = temporaryDirectory();
  journal = join(directory, 'journal.jsonl');
});

const fill = (count: number) => {
  const state = openArchiveState(directory);
  for (let number = 0; number < count; number++)
    state.transact(({ nextId, put }) => put('source', publication(nextId())));
  state.close();
};
const reopen = () => {
  const state = openArchiveState(directory);
  state.close();
  return state;
};

it('knows after a restart what it knew before', () => {
  fill(3);
  const state = reopen();
  expect(state.sources('~me/debian/test').map((one) => one.version)).toEqual(['1.1', '1.2', '1.3']);
  expect(state.sources('~other/debian/test')).toEqual([]);
});

it('drops a last line that a crash has cut, and goes on from there', () => {
  fill(2);
  const whole = readFileSync(journal, 'utf8');
  writeFileSync(journal, whole.slice(0, -20));
  expect(reopen().sources()).toHaveLength(1);
  fill(1);
  expect(
    reopen()
      .sources()
      .map((one) => one.id),
  ).toEqual([1, 2]);
});

it('refuses a journal that is damaged in its middle', () => {
  fill(2);
  const lines = readFileSync(journal, 'utf8').split('\n');
  writeFileSync(journal, [`${lines[0]?.slice(0, -5)}`, ...lines.slice(1)].join('\n'));
  expect(() => openArchiveState(directory)).toThrow(/line 1 is damaged/);
});

it('makes a transaction whole or not at all', () => {
  fill(1);
  appendFileSync(
    journal,
    JSON.stringify([
      ['source', publication(2)],
      ['source', publication(3)],
    ]).slice(0, -30),
  );
  expect(reopen().sources()).toHaveLength(1);
});

it('does not change when a transaction throws', () => {
  const state = openArchiveState(directory);
  expect(() =>
    state.transact(({ nextId, put }) => {
      put('source', publication(nextId()));
      throw new Error('on second thoughts');
    }),
  ).toThrow('on second thoughts');
  expect(state.sources()).toEqual([]);
  state.close();
});

it('goes on after a transaction that a full disk did not take', () => {
  const state = openArchiveState(directory);
  const add = () => state.transact(({ nextId, put }) => put('source', publication(nextId())));
  add();
  expect(() => onFullDisk(add)).toThrow('ENOSPC');
  expect(state.sources()).toHaveLength(1);
  add();
  state.close();
  expect(
    reopen()
      .sources()
      .map((one) => one.id),
  ).toEqual([1, 2]);
});

/** Calls a function where a file takes what is written to it and then says that the disk is full. */
function onFullDisk(call: () => void): void {
  const { fdatasyncSync } = fs;
  fs.fdatasyncSync = () => {
    throw new Error('ENOSPC: no space left on device, fdatasync');
  };
  syncBuiltinESMExports();
  try {
    call();
  } finally {
    fs.fdatasyncSync = fdatasyncSync;
    syncBuiltinESMExports();
  }
}

it('forgets the history of a record when it starts', () => {
  const state = openArchiveState(directory);
  const first = state.transact(({ nextId, put }) => {
    const made = publication(nextId());
    put('source', made);
    return made;
  });
  for (let change = 0; change < 50; change++)
    state.transact(({ put }) => put('source', { ...first, version: `2.${change}` }));
  state.close();
  expect(readFileSync(journal, 'utf8').split('\n')).toHaveLength(52);
  expect(reopen().source(first.id)?.version).toBe('2.49');
  expect(readFileSync(journal, 'utf8').split('\n')).toHaveLength(2);
});

it('reads a journal of the time before there were pockets and copies', () => {
  const { pocket, releaseId, removedAt, removalComment, ...earlier } = publication(7);
  writeFileSync(journal, `${JSON.stringify([['source', earlier]])}\n`);
  expect(reopen().source(7)).toEqual({ ...earlier, pocket, releaseId, removedAt, removalComment });
});
