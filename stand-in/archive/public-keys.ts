import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { armouredBlocks, packetsOf } from '../../domain/packages/openpgp.ts';

const PUBLIC_KEY = 6;
const PUBLIC_SUBKEY = 14;

/** The fingerprints of a public key. */
export type PublicKey = { primary: string; subkeys: string[] };

/** The public keys in a folder, one or more in each `*.asc`; a folder that does not exist holds none. */
export function readPublicKeys(keysDir: string): PublicKey[] {
  let names: string[];
  try {
    names = readdirSync(keysDir).filter((name) => name.endsWith('.asc'));
  } catch {
    return [];
  }
  return names.flatMap((name) =>
    armouredBlocks(readFileSync(join(keysDir, name), 'utf8'), 'PUBLIC KEY BLOCK').flatMap(
      publicKeysOf,
    ),
  );
}

function publicKeysOf(block: Uint8Array): PublicKey[] {
  const keys: PublicKey[] = [];
  for (const { tag, body } of packetsOf(block)) {
    if (tag === PUBLIC_KEY) keys.push({ primary: fingerprintOf(body), subkeys: [] });
    if (tag === PUBLIC_SUBKEY) keys.at(-1)?.subkeys.push(fingerprintOf(body));
  }
  return keys;
}

/** Of a version 4 key (RFC 9580, section 5.5.4.2). */
function fingerprintOf(body: Uint8Array): string {
  const head = Buffer.from([0x99, body.length >> 8, body.length & 0xff]);
  return createHash('sha1').update(head).update(body).digest('hex').toUpperCase();
}
