import { armouredBlocks, number, packetsOf, subpacketsOf } from './openpgp.ts';

const SIGNATURE_PACKET = 2;
const ISSUER_KEY_ID = 16;
const ISSUER_FINGERPRINT = 33;

/**
 * The key that a clear-signed text says it is signed with (RFC 9580, section 5.2.3). Nothing is verified.
 *
 * @returns the fingerprint in capital hexadecimal digits, or its last 16 where an old signature has no more; perhaps
 * that of a subkey. Undefined where the text has no signature that can be read
 */
export function signatureIssuer(text: string): string | undefined {
  const [block] = armouredBlocks(text, 'SIGNATURE');
  const [packet] = block ? packetsOf(block) : [];
  // Version 3 has no subpackets, and later versions than 4 are not what Launchpad reads.
  if (packet?.tag !== SIGNATURE_PACKET || packet.body[0] !== 4) return undefined;
  const { body } = packet;
  const hashed = body.subarray(6, 6 + number(body, 4, 2));
  const rest = body.subarray(6 + hashed.length);
  const subpackets = new Map([
    ...subpacketsOf(rest.subarray(2, 2 + number(rest, 0, 2))),
    ...subpacketsOf(hashed),
  ]);
  const fingerprint = subpackets.get(ISSUER_FINGERPRINT)?.subarray(1);
  const keyId = subpackets.get(ISSUER_KEY_ID);
  const issuer = fingerprint?.length === 20 ? fingerprint : keyId;
  return issuer && issuer.length >= 8 ? hex(issuer) : undefined;
}

/** Whether a fingerprint is the one that is named, in full or by its last digits. */
export function isKeyNamed(fingerprint: string, named: string): boolean {
  return fingerprint.toUpperCase().endsWith(named.toUpperCase());
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}
