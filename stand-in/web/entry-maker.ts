import { createHash } from 'node:crypto';
import { isPpa, type Archive } from '../../domain/packages/archive.ts';
import { archiveOf } from '../archive/layout.ts';
import type { EntryTypeName } from './wadl.ts';

/** A resource of the web service, as it is sent. */
export type Entry = Record<string, unknown> & { http_etag: string };

/** What all entries are made with. */
export type EntryMaker = ReturnType<typeof createEntryMaker>;

/** @param webUrl address of the web service, without the version and without a slash at its end */
export function createEntryMaker(webUrl: string) {
  const apiUrl = `${webUrl}/devel`;
  const archivePath = (reference: string) => pathOf(archiveOf(reference));
  return {
    webUrl,
    apiUrl,
    pathOf,
    archivePath,
    entry(type: EntryTypeName, path: string, fields: Record<string, unknown>): Entry {
      const content = {
        self_link: `${apiUrl}/${path}`,
        web_link: `${webUrl}/${path}`,
        resource_type_link: `${apiUrl}/#${type}`,
        ...fields,
      };
      const digest = createHash('sha1').update(JSON.stringify(content)).digest('hex');
      // Launchpad's form is "<read-only fields>-<writable fields>"; nothing is writable here.
      return { ...content, http_etag: `"${digest}-${WRITABLE_DIGEST}"` };
    },
    archiveLink: (reference: string) => `${apiUrl}/${archivePath(reference)}`,
    seriesLink: (reference: string, series: string) =>
      `${apiUrl}/${archiveOf(reference).distribution}/${series}`,
  };
}

/** The path of an archive, of the web service as of its page. */
function pathOf(archive: Archive): string {
  return isPpa(archive)
    ? `~${archive.owner}/+archive/${archive.distribution}/${archive.name}`
    : `${archive.distribution}/+archive/primary`;
}

const WRITABLE_DIGEST = createHash('sha1').update('').digest('hex');
