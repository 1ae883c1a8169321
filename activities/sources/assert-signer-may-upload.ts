import { AirlineError } from '../../domain/errors.ts';
import { ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import { isKeyNamed } from '../../domain/packages/signature-issuer.ts';
import {
  shownPackage,
  type DescribedPackage,
  type Signer,
} from '../../domain/packages/source-file.ts';
import { listed } from '../../domain/text/listed.ts';
import type { PpaClient } from '../../ppa/client.ts';
import { PpaAnswerError } from '../../ppa/web-service.ts';
import type { Person } from '../../ppa/wire.ts';
import type { Account, Asked } from './target-cache.ts';
import type { Target } from './upload-target.ts';

/** The signer is searched for among so many accounts. */
const MAX_ACCOUNTS = 50;
const MAX_SHOWN_ACCOUNTS = 5;

/** The signer's account, if it is one of those that were asked. */
type Search = { account: Account | undefined; asked: readonly Account[] };

/**
 * Makes what refuses a package that is signed by a key that belongs to no account that may upload to the PPA. Launchpad
 * silently drops an upload where it does not know the key, and tells the signer by mail where the account may not
 * upload.
 *
 * Launchpad does not tell whose a key is. So the key is searched for among those of the account with the e-mail address
 * in Changed-By, and of all accounts that may upload, once for all packages of a signer. Nothing is refused where these
 * are too many or hidden from our account, or where the keyserver does not say of which key this one may be a subkey.
 *
 * @returns what throws AirlineError `key_not_registered` or `upload_not_allowed`
 */
export function signerAssertion(
  { ppaClient, targetCache, logger }: Asked,
  { ppa, series }: Target,
): (sourcePackage: DescribedPackage) => Promise<void> {
  const searches = new Map<string, Promise<Search | undefined>>();
  const search = (signer: Signer) => {
    const key = JSON.stringify([signer.key, signer.email]);
    const known = searches.get(key) ?? findUnlessCached(signer);
    searches.set(key, known);
    return known;
  };

  async function findUnlessCached(signer: Signer): Promise<Search | undefined> {
    const account = targetCache.signerOf(ppa, signer);
    if (account) return { account, asked: [] };
    const found = await findSigner(ppaClient, ppa, signer);
    if (found?.account) targetCache.keepSigner(ppa, signer, found.account);
    return found;
  }

  async function assertMayUpload(
    sourcePackage: DescribedPackage & { signer: Signer },
  ): Promise<void> {
    const { signer, source } = sourcePackage;
    const found = await search(signer);
    if (!found) return;
    const signed = `${shownPackage(sourcePackage)} is signed by the key ${signer.key}`;
    if (!found.account)
      throw new AirlineError(
        'key_not_registered',
        `${signed}, which belongs to no account that may upload to ${ppaReference(ppa)}; accounts checked: ${shownNames(found.asked)}`,
      );
    const { person } = found.account;
    const refusal = await ppaClient.checkUpload(ppa, { series, source, person });
    if (refusal !== undefined)
      throw new AirlineError(
        'upload_not_allowed',
        `${signed} of ~${person.name}, and ${ppaReference(ppa)} takes no upload of theirs: ${refusal}`,
      );
  }

  return async (sourcePackage) => {
    const { source, version, signer } = sourcePackage;
    // What cannot be read as a signature, and what older workflows have checked, has none.
    if (!signer) return;
    try {
      await assertMayUpload({ ...sourcePackage, signer });
    } catch (error) {
      if (!(error instanceof PpaAnswerError)) throw error;
      logger.warn({ err: error, source, version }, 'the PPA does not tell who may upload');
    }
  };
}

/** @returns undefined where it cannot be told whose the key is */
async function findSigner(
  ppaClient: PpaClient,
  ppa: Ppa,
  { key, email }: Signer,
): Promise<Search | undefined> {
  const byName = new Map<string, Account>();
  for await (const person of likelySigners(ppaClient, ppa, email)) {
    if (byName.has(person.name)) continue;
    if (byName.size === MAX_ACCOUNTS) return undefined;
    const account = { person, keys: person.is_team ? [] : await ppaClient.getKeys(person) };
    byName.set(person.name, account);
    if (hasKey(account, key)) break;
  }
  const asked = [...byName.values()];
  const account = asked.find((each) => hasKey(each, key));
  if (account) return { account, asked };
  const primaryKey = await ppaClient.findPrimaryKey(key);
  if (primaryKey === undefined) return undefined;
  return {
    account: asked.find((each) => primaryKey !== null && hasKey(each, primaryKey)),
    asked,
  };
}

/** Everybody whose upload the PPA may take, the likeliest first. Some come twice. */
async function* likelySigners(
  ppaClient: PpaClient,
  ppa: Ppa,
  email: string | null,
): AsyncGenerator<Person> {
  const changedBy = email === null ? undefined : await ppaClient.getPersonByEmail(email);
  if (changedBy) yield changedBy;
  const owner = await ppaClient.getOwner(ppa);
  if (owner) yield* withParticipants(ppaClient, owner);
  for (const uploader of await ppaClient.getUploaders(ppa))
    yield* withParticipants(ppaClient, uploader);
}

async function* withParticipants(ppaClient: PpaClient, person: Person): AsyncGenerator<Person> {
  yield person;
  if (person.is_team) yield* await ppaClient.getParticipants(person);
}

function hasKey({ keys }: Account, key: string): boolean {
  return keys.some((fingerprint) => isKeyNamed(fingerprint, key));
}

function shownNames(accounts: readonly Account[]): string {
  const names = accounts.map(({ person }) => `~${person.name}`);
  return listed(names, MAX_SHOWN_ACCOUNTS);
}
