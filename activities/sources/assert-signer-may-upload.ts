import type { Logger } from 'pino';
import { AirlineError } from '../../domain/errors.ts';
import { ppaReference, type Ppa } from '../../domain/ppa.ts';
import { isKeyNamed } from '../../domain/signature-issuer.ts';
import { shownPackage, type DescribedPackage } from '../../domain/source-file.ts';
import type { PpaClient } from '../../ppa/client.ts';
import { PpaAnswerError } from '../../ppa/web-service.ts';
import type { Person } from '../../ppa/wire.ts';
import type { Target } from './upload-target.ts';

/** The signer is searched for among so many accounts. */
const MAX_ACCOUNTS = 50;
const SHOWN_ACCOUNTS = 5;

type Account = { person: Person; keys: string[] };

/**
 * Refuses a package that is signed by a key of nobody who may upload to the PPA. Launchpad drops an upload without a word
 * where it does not know the key, and tells the signer by mail where the account may not upload.
 *
 * Launchpad does not tell whose a key is. So the key is searched for among those of the account with the e-mail address
 * in Changed-By, and of all accounts that may upload. Nothing is refused where these are too many or hidden from our
 * account, or where the keyserver does not say of which key this one may be a subkey.
 *
 * @throws AirlineError `key_not_registered`, `upload_not_allowed`
 */
export async function assertSignerMayUpload(
  { ppaClient, logger }: { ppaClient: PpaClient; logger: Logger },
  target: Target,
  sourcePackage: DescribedPackage,
): Promise<void> {
  const { source, version, signer } = sourcePackage;
  // What cannot be read as a signature, and what older workflows have checked, has none.
  if (!signer) return;
  try {
    await assertMayUpload(ppaClient, target, { ...sourcePackage, signer });
  } catch (error) {
    if (!(error instanceof PpaAnswerError)) throw error;
    logger.warn({ err: error, source, version }, 'the PPA does not tell who may upload');
  }
}

async function assertMayUpload(
  ppaClient: PpaClient,
  { ppa, series }: Target,
  sourcePackage: Required<DescribedPackage>,
): Promise<void> {
  const { signer, source } = sourcePackage;
  const asked = new Map<string, Account>();
  for await (const person of likelySigners(ppaClient, ppa, signer.email)) {
    if (asked.has(person.name)) continue;
    if (asked.size === MAX_ACCOUNTS) return;
    const account = { person, keys: person.is_team ? [] : await ppaClient.getKeys(person) };
    asked.set(person.name, account);
    if (hasKey(account, signer.key)) break;
  }
  const accounts = [...asked.values()];
  let account = accounts.find((each) => hasKey(each, signer.key));
  if (!account) {
    const primaryKey = await ppaClient.findPrimaryKey(signer.key);
    if (primaryKey === undefined) return;
    account = accounts.find((each) => primaryKey !== null && hasKey(each, primaryKey));
  }
  const signed = `${shownPackage(sourcePackage)} is signed by the key ${signer.key}`;
  if (!account)
    throw new AirlineError(
      'key_not_registered',
      `${signed}, which is a key of nobody who may upload to ${ppaReference(ppa)}; asked were ${shownNames(accounts)}`,
    );
  const { person } = account;
  const refusal = await ppaClient.checkUpload(ppa, { series, source, person });
  if (refusal !== undefined)
    throw new AirlineError(
      'upload_not_allowed',
      `${signed} of ~${person.name}, and ${ppaReference(ppa)} takes no upload of theirs: ${refusal}`,
    );
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
  const names = accounts.slice(0, SHOWN_ACCOUNTS).map(({ person }) => `~${person.name}`);
  const more = accounts.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
