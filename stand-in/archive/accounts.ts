import { ppaReference, type Ppa } from '../../domain/ppa.ts';
import { isKeyNamed } from '../../domain/signature-issuer.ts';
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
  const uploaders = (ppa: Ppa) =>
    where(({ mayUploadTo }) => mayUploadTo.includes(ppaReference(ppa)));
  const mayUpload = (name: string, ppa: Ppa) =>
    people() === undefined ||
    [ppa.owner, ...uploaders(ppa).map((one) => one.name)].some((allowed) =>
      within(allowed).some((one) => one.name === name),
    );

  return {
    find,
    uploaders,
    mayUpload,
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
