import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePpa, type Ppa } from '../../domain/packages/ppa.ts';
import { readJournal } from '../../stand-in/archive/journal.ts';
import {
  hasEnded,
  type BinaryPublication,
  type Build,
  type SourcePublication,
} from '../../stand-in/archive/records.ts';

/** A source that the PPA has taken. */
type AcceptedSource = {
  /** Of the publication: two of one source and version are two acceptances. */
  id: number;
  ppa: string;
  source: string;
  version: string;
  /** The upload session that brought it. */
  upload: string;
  acceptedAt: string;
};

type PpaBuild = {
  ppa: string;
  source: string;
  architecture: string;
  state: string;
  isActive: boolean;
  /** Of the record, below the root of the web service. */
  link: string;
};

/** A `.changes` that the PPA has refused with a mail. */
type RejectedUpload = { ppa: string; source: string; upload: string; why: string };

/** A source or a package in a primary archive, to which it was copied. */
export type Copied = {
  kind: 'source' | 'binary';
  archive: string;
  pocket: string;
  /** Of the source package. */
  source: string;
  /** Of the binary package, with its architecture; of a source its own. */
  name: string;
  version: string;
  copiedAt: string;
};

/** What the PPA has seen, from its own files. */
export type PpaRecords = {
  sources: AcceptedSource[];
  builds: PpaBuild[];
  rejections: RejectedUpload[];
  /** What is, or was, in the primary archives. */
  copied: Copied[];
  /** Names of uploads that it could not process at all, and of those that it has not looked at yet. */
  unprocessed: string[];
};

/** Reads what the stand-in has on the disk, whether it runs or not. */
export function readPpa(root: string): PpaRecords {
  const sources = new Map<number, SourcePublication>();
  const builds = new Map<number, Build>();
  const binaries = new Map<number, BinaryPublication>();
  for (const rows of readJournal(join(root, 'journal.jsonl')) as [string, never][][])
    for (const [kind, record] of rows) {
      if (kind === 'source') sources.set((record as SourcePublication).id, record);
      if (kind === 'build') builds.set((record as Build).id, record);
      if (kind === 'binary') binaries.set((record as BinaryPublication).id, record);
    }
  return {
    sources: [...sources.values()].flatMap(
      ({ id, archive: ppa, source, version, uploadId: upload, createdAt: acceptedAt }) =>
        upload === null ? [] : [{ id, ppa, source, version, upload, acceptedAt }],
    ),
    builds: [...builds.values()].map(({ id, archive, source, architecture, state }) => ({
      ppa: archive,
      source,
      architecture,
      state,
      isActive: !hasEnded(state),
      link: linkOf(archive, id),
    })),
    rejections: [`${root}/rejections.jsonl.1`, `${root}/rejections.jsonl`].flatMap(readRejections),
    copied: [
      ...[...sources.values()].map((one) => ({
        ...one,
        kind: 'source' as const,
        name: one.source,
      })),
      ...[...binaries.values()].map((one) => ({
        ...one,
        kind: 'binary' as const,
        name: `${one.name} ${one.architecture}`,
      })),
    ]
      .filter(({ archive }) => !archive.startsWith('~'))
      .map(({ kind, archive, pocket, source, name, version, createdAt: copiedAt }) => ({
        kind,
        archive,
        pocket,
        source,
        name,
        version,
        copiedAt,
      })),
    unprocessed: ['incoming', 'failed'].flatMap((folder) => uploadsIn(join(root, folder))),
  };
}

function linkOf(archive: string, id: number): string {
  const { owner, distribution, name } = parsePpa(archive, '') as Ppa;
  return `/devel/~${owner}/+archive/${distribution}/${name}/+build/${id}`;
}

function readRejections(path: string): RejectedUpload[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { upload, changes, why } = JSON.parse(line) as Record<string, string>;
      // `~owner/distribution/name/series/source_version_source.changes`
      const path = String(changes).split('/');
      return {
        ppa: path.slice(0, 3).join('/'),
        source: (path.at(-1) ?? '').split('_')[0] ?? '',
        upload: String(upload),
        why: String(why),
      };
    });
}

function uploadsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.startsWith('upload-'));
}
