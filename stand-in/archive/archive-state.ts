import { join } from 'node:path';
import { readJournal, startJournal } from './journal.ts';
import type { BinaryPublication, Build, Copy, SourcePublication } from './records.ts';

type Tables = { source: SourcePublication; build: Build; binary: BinaryPublication; copy: Copy };
type Row = { [Kind in keyof Tables]: [Kind, Tables[Kind]] }[keyof Tables];

/** Collects what one transaction changes. */
export type Transaction = {
  /** An id that no record has, of whatever kind. */
  nextId(): number;
  /** Adds a record, or replaces the one with its id. */
  put<Kind extends keyof Tables>(kind: Kind, record: Tables[Kind]): void;
};

/** What the stand-in knows of its archives. Reads give what is on the disk, never what is still to be written. */
export type ArchiveState = {
  source(id: number): SourcePublication | undefined;
  build(id: number): Build | undefined;
  binary(id: number): BinaryPublication | undefined;
  copy(id: number): Copy | undefined;
  /** In the order they were made; of one archive, or of all. */
  sources(archive?: string): SourcePublication[];
  builds(archive?: string): Build[];
  binaries(archive?: string): BinaryPublication[];
  /** Copies into an archive. */
  copies(archive: string): Copy[];
  /** Copies that have neither been made nor failed, oldest first. */
  openCopies(): Copy[];
  buildsOfSource(sourceId: number): Build[];
  /** A source and its copies, in all archives. */
  publicationsOf(releaseId: number): SourcePublication[];
  /** Builds in the state Needs building, oldest first. */
  waitingBuilds(): Build[];
  /** All or nothing, durable when it returns. */
  transact<Result>(change: (transaction: Transaction) => Result): Result;
  close(): void;
};

/**
 * Opens the state in a folder: everything in memory, behind an append-only journal that each transaction is synced to
 * and that is compacted here. It grows with what was uploaded; nothing is ever deleted.
 *
 * @throws where the journal is damaged anywhere but in its last line
 */
export function openArchiveState(directory: string): ArchiveState {
  const tables = {
    source: new Map<number, SourcePublication>(),
    build: new Map<number, Build>(),
    binary: new Map<number, BinaryPublication>(),
    copy: new Map<number, Copy>(),
  };
  const byArchive = { source: groups(), build: groups(), binary: groups(), copy: groups() };
  const bySource = groups();
  const byRelease = groups();
  const waiting = new Set<number>();
  const copying = new Set<number>();
  let lastId = 0;

  const apply = ([kind, record]: Row) => {
    lastId = Math.max(lastId, record.id);
    (tables[kind] as Map<number, Row[1]>).set(record.id, record);
    byArchive[kind].add(record.archive, record.id);
    if (kind === 'source') byRelease.add(record.releaseId, record.id);
    if (kind === 'copy') {
      if (record.isDone) copying.delete(record.id);
      else copying.add(record.id);
    }
    if (kind === 'build') {
      bySource.add(record.sourceId, record.id);
      if (record.state === 'Needs building') waiting.add(record.id);
      else waiting.delete(record.id);
    }
  };

  const path = join(directory, 'journal.jsonl');
  for (const rows of readJournal(path) as Row[][]) rows.map(withPocket).forEach(apply);
  const journal = startJournal(path, snapshot());

  function* snapshot(): Iterable<Row[]> {
    for (const record of tables.source.values()) yield [['source', record]];
    for (const record of tables.build.values()) yield [['build', record]];
    for (const record of tables.binary.values()) yield [['binary', record]];
    for (const record of tables.copy.values()) yield [['copy', record]];
  }

  const select = <Kind extends keyof Tables>(kind: Kind, archive?: string): Tables[Kind][] => {
    const table = tables[kind] as Map<number, Tables[Kind]>;
    if (archive === undefined) return [...table.values()];
    return byArchive[kind].of(archive).map((id) => table.get(id) as Tables[Kind]);
  };

  return {
    source: (id) => tables.source.get(id),
    build: (id) => tables.build.get(id),
    binary: (id) => tables.binary.get(id),
    copy: (id) => tables.copy.get(id),
    sources: (archive) => select('source', archive),
    builds: (archive) => select('build', archive),
    binaries: (archive) => select('binary', archive),
    copies: (archive) => select('copy', archive),
    openCopies: () =>
      [...copying].toSorted((a, b) => a - b).map((id) => tables.copy.get(id) as Copy),
    buildsOfSource: (sourceId) => bySource.of(sourceId).map((id) => tables.build.get(id) as Build),
    publicationsOf: (releaseId) =>
      byRelease.of(releaseId).map((id) => tables.source.get(id) as SourcePublication),
    waitingBuilds: () =>
      [...waiting].toSorted((a, b) => a - b).map((id) => tables.build.get(id) as Build),
    transact(change) {
      const rows: Row[] = [];
      let nextId = lastId;
      const result = change({
        nextId: () => ++nextId,
        put: (kind, record) => {
          rows.push([kind, record] as Row);
        },
      });
      if (rows.length > 0) {
        journal.append(rows);
        rows.forEach(apply);
      }
      return result;
    },
    close: () => journal.close(),
  };
}

/** Completes a record of the time before there were pockets, copies and deletions. */
function withPocket([kind, record]: Row): Row {
  const pocket = 'Release';
  switch (kind) {
    case 'source': {
      const fields = { pocket, releaseId: record.id, removedAt: null, removalComment: null };
      return [kind, Object.assign(fields, record)];
    }
    case 'binary':
      return [kind, Object.assign({ pocket, removedAt: null }, record)];
    case 'build':
      return [kind, Object.assign({ pocket }, record)];
    case 'copy':
      return [kind, record];
  }
}

function groups() {
  const ids = new Map<string | number, Set<number>>();
  return {
    add(key: string | number, id: number) {
      const group = ids.get(key);
      if (group) group.add(id);
      else ids.set(key, new Set([id]));
    },
    of: (key: string | number): number[] => [...(ids.get(key) ?? [])],
  };
}
