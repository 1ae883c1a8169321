import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dearmor } from './dearmor.ts';

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
    dearmor(readFileSync(join(keysDir, name), 'utf8')).flatMap(publicKeysOf),
  );
}

function publicKeysOf(block: Buffer): PublicKey[] {
  const keys: PublicKey[] = [];
  for (const { tag, body } of packetsOf(block)) {
    if (tag === PUBLIC_KEY) keys.push({ primary: fingerprintOf(body), subkeys: [] });
    if (tag === PUBLIC_SUBKEY) keys.at(-1)?.subkeys.push(fingerprintOf(body));
  }
  return keys;
}

/** Of a version 4 key (RFC 9580, section 5.5.4.2). */
function fingerprintOf(body: Buffer): string {
  const head = Buffer.from([0x99, body.length >> 8, body.length & 0xff]);
  return createHash('sha1').update(head).update(body).digest('hex').toUpperCase();
}

/** The packets of a message, each of a known length (RFC 9580, section 4.2); what follows one that is cut is left out. */
function* packetsOf(block: Buffer): Generator<{ tag: number; body: Buffer }> {
  for (let at = 0; at + 6 < block.length;) {
    const head = block.readUInt8(at);
    const isNewForm = (head & 0x40) !== 0;
    const first = block.readUInt8(at + 1);
    const size = isNewForm ? (first < 192 ? 1 : first < 224 ? 2 : 5) : 1 << (head & 3);
    const start = at + 1 + size;
    const length = !isNewForm
      ? block.readUIntBE(at + 1, Math.min(size, 4))
      : size === 1
        ? first
        : size === 2
          ? ((first - 192) << 8) + block.readUInt8(at + 2) + 192
          : block.readUInt32BE(at + 2);
    yield {
      tag: isNewForm ? head & 0x3f : (head >> 2) & 0xf,
      body: block.subarray(start, start + length),
    };
    at = start + length;
  }
}
