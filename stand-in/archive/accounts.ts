import { archiveReference, isPpa, type Archive } from '../../domain/packages/archive.ts';
import type { Ppa } from '../../domain/packages/ppa.ts';
import { isKeyNamed } from '../../domain/packages/signature-issuer.ts';
import { displayNameOf } from './display-name.ts';
import type { ScriptedAccount, ScriptFile } from '../script/script.ts';
import { readPublicKeys } from './public-keys.ts';

/** A person or a team. */
export type Account = {
  name: string;
  /** Fingerprints of primary keys. */
  keys: string[];
  /** Names; undefined for a person. */
  members: string[] | undefined;
};

/** The accounts of the stand-in, as its script has them now. */
export type Accounts = ReturnType<typeof openAccounts>;

/** Without a script that says otherwise, everybody exists, has every known key and may upload everywhere. */
export function openAccounts(keysDir: string, script: ScriptFile | undefined) {
  const people = () => script?.people();
  const knownKeys = () => readPublicKeys(keysDir);
  const find = (name: string): Account | undefined => {
    const all = people();
    if (!all) return { name, keys: knownKeys().map(({ primary }) => primary), members: undefined };
    const one = Object.hasOwn(all, name) ? all[name] : undefined;
    return one && { name, keys: one.keys.map((key) => key.toUpperCase()), members: one.members };
  };
  const where = (test: (one: ScriptedAccount) => boolean): Account[] =>
    Object.entries(people() ?? {}).flatMap(([name, one]) => (test(one) && find(name)) || []);
  /** An account and all in it. Teams may be in each other. */
  const within = (name: string, seen = new Set<string>()): Account[] => {
    const account = seen.has(name) ? undefined : find(name);
    if (!account) return [];
    seen.add(name);
    return [account, ...(account.members ?? []).flatMap((member) => within(member, seen))];
  };
  const uploaders = (archive: Archive) =>
    where(({ mayUploadTo }) => mayUploadTo.includes(archiveReference(archive)));
  const mayUpload = (name: string, archive: Archive) =>
    people() === undefined ||
    [...(isPpa(archive) ? [archive.owner] : []), ...uploaders(archive).map((one) => one.name)].some(
      (allowed) => within(allowed).some((one) => one.name === name),
    );
  /** A token of no account may do everything. */
  const mayTokenUpload = (token: string, archive: Archive): boolean => {
    const owners = where(({ tokens }) => tokens.includes(token));
    return owners.length === 0 || owners.some(({ name }) => mayUpload(name, archive));
  };
  /** What Launchpad says to everybody who uploads to an archive that is disabled; undefined where it is not. */
  const whyDisabled = (archive: Archive): string | undefined =>
    script?.isDisabled(archiveReference(archive)) === true
      ? `${displayNameOf(archive)} is disabled.`
      : undefined;
  const refusal = (archive: Archive, isAllowed: boolean): string | undefined =>
    whyDisabled(archive) ?? (isAllowed ? undefined : noUploadRights(archive));

  return {
    find,
    uploaders,
    mayTokenUpload,
    whyDisabled,
    /**
     * Why an account may not upload to an archive, in Launchpad's words (`Archive.verifyUpload`); undefined where it
     * may.
     */
    refusalOf: (name: string, archive: Archive) => refusal(archive, mayUpload(name, archive)),
    /** The same of the account with a token of the web service. */
    refusalOfToken: (token: string, archive: Archive) =>
      refusal(archive, mayTokenUpload(token, archive)),
    byEmail: (email: string) =>
      where(({ emails }) => emails.includes(email.trim().toLowerCase())).at(0),
    participants: (name: string) => within(name).slice(1),
    /** What becomes of an upload that a key signed. */
    judgeSigner(key: string, ppa: Ppa): 'allowed' | 'not_allowed' | 'unknown' {
      if (people() === undefined) return 'allowed';
      const owners = where(({ keys }) => keys.some((one) => isKeyNamed(one, key)));
      if (owners.length === 0) return 'unknown';
      return owners.some(({ name }) => mayUpload(name, ppa)) ? 'allowed' : 'not_allowed';
    },
    /** The primary key of a key, as a keyserver finds it. */
    primaryKey: (id: string) =>
      knownKeys().find(({ primary, subkeys }) =>
        [primary, ...subkeys].some((key) => isKeyNamed(key, id)),
      )?.primary,
  };
}

/** What Launchpad says to an account that may not upload to an archive. */
export function noUploadRights(archive: Archive): string {
  return isPpa(archive)
    ? 'Signer has no upload rights to this PPA.'
    : "The signer of this package has no upload rights to this distribution's primary archive.  Did you mean to upload to a PPA?";
}
