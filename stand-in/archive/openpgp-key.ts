import {
  createCleartextMessage,
  generateKey,
  sign,
  type PrivateKey,
  type SubkeyOptions,
  type UserID,
} from 'openpgp';

/**
 * Makes a key without a passphrase, in the form of Ed25519 that the gpg of Debian 12 reads, too.
 *
 * @param subkeys none: the key itself signs
 */
export async function makeKey(owner: UserID, subkeys: SubkeyOptions[] = []): Promise<PrivateKey> {
  const { privateKey } = await generateKey({
    userIDs: owner,
    type: 'ecc',
    curve: 'ed25519Legacy',
    subkeys,
    format: 'object',
  });
  return privateKey;
}

/**
 * Clear-signs a text as gpg does, in this process: gpg takes a process and an agent for each text.
 *
 * @param text whose last line feed belongs to the frame around it
 */
export async function clearSign(text: string, key: PrivateKey): Promise<string> {
  const message = await createCleartextMessage({ text: text.replace(/\n$/, '') });
  const signed = await sign({ message, signingKeys: key });
  // The signature is of lines that end with CR LF, whatever they end with here (RFC 9580, section 7).
  return signed.replaceAll('\r\n', '\n');
}
