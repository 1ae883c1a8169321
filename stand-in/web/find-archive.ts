import { isPpa, parseArchive, type Archive } from '../../domain/packages/archive.ts';
import { referenceAt } from '../archive/archive-address.ts';
import type { Distributions } from '../options.ts';
import type { ScriptFile } from '../script/script.ts';

/** Finds archives. Undefined is for one that does not exist. */
export type ArchiveFinder = {
  byReference(reference: string): Archive | undefined;
  /** By its address in the web service, below the version. */
  at(path: string): Archive | undefined;
  /**
   * Where Launchpad redirects a path that is in no archive: it takes it for the form without a distribution, or without
   * a name, that addresses of PPAs once had (lib/lp/registry/browser/person.py, `traverse_archive`).
   */
  redirectOf(path: string): string | undefined;
};

const FORMER_ADDRESS = /^(~[^/]+)\/\+archive\/([^/]+)\/(.+)$/;

/** PPAs exist as soon as somebody names them, unless a script says which ones do. */
export function createArchiveFinder({
  distributions,
  script,
}: {
  distributions: Distributions;
  script: ScriptFile | undefined;
}): ArchiveFinder {
  const byReference = (reference: string) => {
    const archive = parseArchive(reference);
    if (!archive || !Object.hasOwn(distributions, archive.distribution)) return undefined;
    return !isPpa(archive) || (script?.hasPpa(reference) ?? true) ? archive : undefined;
  };
  return {
    byReference,
    at: (path) => byReference(referenceAt(path) ?? ''),
    redirectOf(path) {
      const [, owner, first = '', rest = ''] = FORMER_ADDRESS.exec(path) ?? [];
      if (owner === undefined || byReference(`${owner}/${first}/${rest.split('/')[0]}`))
        return undefined;
      const named = (name: string) => script?.namesPpa(`${owner}/ubuntu/${name}`) === true;
      if (named(first)) return `${owner}/+archive/ubuntu/${first}/${rest}`;
      return named('ppa') ? `${owner}/+archive/ubuntu/ppa/${first}/${rest}` : undefined;
    },
  };
}
