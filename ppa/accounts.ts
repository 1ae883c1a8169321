import { z } from 'zod';
import type { Ppa } from '../domain/packages/ppa.ts';
import { archiveUrl, seriesUrl } from './addresses.ts';
import { askKeyserver, fetchPublicKey, type Keyserver } from './keyserver.ts';
import { PpaAnswerError, setOperation, unlessMissing, type WebService } from './web-service.ts';
import { ARCHIVE_PERMISSION, GPG_KEY, PERSON, type Person } from './wire.ts';

/** What Launchpad tells of accounts. There is no way to ask whose a key is. */
export type Accounts = {
  /** The account with an e-mail address; undefined where there is none. */
  getPersonByEmail(email: string): Promise<Person | undefined>;
  /** The account that owns a PPA. */
  getOwner(ppa: Ppa): Promise<Person | undefined>;
  /** All people and teams in a team, those in its teams among them. */
  getParticipants(team: Person): Promise<Person[]>;
  /** Those to whom the owner of a PPA has given the permission to upload to it. */
  getUploaders(ppa: Ppa): Promise<Person[]>;
  /** The fingerprints of an account's keys. */
  getKeys(person: Person): Promise<string[]>;
  /**
   * Why an account may not upload a source to a series of a PPA; undefined where it may, or Launchpad does not know the
   * source.
   */
  checkUpload(
    ppa: Ppa,
    upload: { series: string; source: string; person: Person },
  ): Promise<string | undefined>;
  /**
   * The primary key of a key, as the PPA's keyserver has it.
   *
   * @param key a fingerprint, or its last 16 digits; of a primary key or of a subkey
   * @returns null where the keyserver has no such key; undefined where it does not say
   */
  findPrimaryKey(key: string): Promise<string | null | undefined>;
  /** The key with a fingerprint, armoured, as the PPA's keyserver has it. */
  fetchPublicKey(fingerprint: string): Promise<string>;
};

const HTTP_FORBIDDEN = 403;

/**
 * Opens what Launchpad, and the keyserver where the PPA takes public keys from, tell of accounts.
 *
 * @throws from every method but `findPrimaryKey`: PpaUnavailableError where a later try may help, else PpaAnswerError
 */
export function openAccounts({ root, read, readAll }: WebService, keyserver: Keyserver): Accounts {
  return {
    async getPersonByEmail(email) {
      const url = new URL('people', root);
      setOperation(url, 'getByEmail', { email });
      return (await unlessMissing(read(url, PERSON.nullable()))) ?? undefined;
    },
    getOwner: (ppa) => unlessMissing(read(new URL(`~${ppa.owner}`, root), PERSON)),
    getParticipants: (team) => readAll(new URL(team.participants_collection_link), PERSON),
    async getUploaders(ppa) {
      const url = archiveUrl(root, ppa);
      setOperation(url, 'getUploadersForComponent', {});
      const permissions = await readAll(url, ARCHIVE_PERMISSION);
      return Promise.all(permissions.map((one) => read(new URL(one.person_link), PERSON)));
    },
    async getKeys(person) {
      const keys = await readAll(new URL(person.gpg_keys_collection_link), GPG_KEY);
      return keys.map(({ fingerprint }) => fingerprint);
    },
    async checkUpload(ppa, { series, source, person }) {
      const url = archiveUrl(root, ppa);
      setOperation(url, 'checkUpload', {
        component: 'main',
        distroseries: seriesUrl(root, ppa.distribution, series).href,
        person: person.self_link,
        pocket: 'Release',
        sourcepackagename: source,
      });
      try {
        await unlessMissing(read(url, z.literal(true)));
        return undefined;
      } catch (error) {
        if (error instanceof PpaAnswerError && error.status === HTTP_FORBIDDEN) return error.said;
        throw error;
      }
    },
    fetchPublicKey: (fingerprint) => fetchPublicKey(keyserver, fingerprint),
    findPrimaryKey: (key) => askKeyserver(keyserver, key),
  };
}
