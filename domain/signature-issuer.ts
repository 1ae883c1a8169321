const BLOCK =
  /^-----BEGIN PGP SIGNATURE-----\r?\n(?:[^\r\n]+: [^\r\n]*\r?\n)*\r?\n([A-Za-z0-9+/=\r\n]+?)(?:\r?\n=[A-Za-z0-9+/]{4})?\r?\n-----END PGP SIGNATURE-----/m;
const SIGNATURE_PACKET = 2;
const ISSUER_KEY_ID = 16;
const ISSUER_FINGERPRINT = 33;

/**
 * The key that a clear-signed text says it is signed with (RFC 9580, sections 4.2 and 5.2.3). Nothing is verified.
 *
 * @returns the fingerprint in capital hexadecimal digits, or its last 16 where an old signature has no more; perhaps that
 * of a subkey. Undefined where the text has no signature that can be read
 */
export function signatureIssuer(text: string): string | undefined {
  const armoured = BLOCK.exec(text)?.[1];
  const body = armoured === undefined ? undefined : signatureOf(bytesOf(armoured));
  // Version 3 has no subpackets, and later versions than 4 are not what Launchpad reads.
  if (!body || body[0] !== 4) return undefined;
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

/** The first packet, if it is a signature. */
function signatureOf(bytes: Uint8Array): Uint8Array | undefined {
  const [head = 0, first = 0] = bytes;
  const isNewForm = (head & 0x40) !== 0;
  if ((isNewForm ? head & 0x3f : (head >> 2) & 0xf) !== SIGNATURE_PACKET) return undefined;
  const { length, start } = isNewForm
    ? lengthAt(bytes, 1)
    : (head & 3) === 0
      ? { length: first, start: 2 }
      : { length: number(bytes, 1, 2), start: 3 };
  return bytes.subarray(start, start + length);
}

function* subpacketsOf(area: Uint8Array): Generator<[type: number, content: Uint8Array]> {
  for (let at = 0; at < area.length;) {
    const { length, start } = lengthAt(area, at);
    yield [(area[start] ?? 0) & 0x7f, area.subarray(start + 1, start + length)];
    at = start + length;
  }
}

/** A length in one, two or five bytes. */
function lengthAt(bytes: Uint8Array, at: number): { length: number; start: number } {
  const first = bytes[at] ?? 0;
  if (first < 192) return { length: first, start: at + 1 };
  if (first < 255)
    return { length: ((first - 192) << 8) + (bytes[at + 1] ?? 0) + 192, start: at + 2 };
  return { length: number(bytes, at + 1, 4), start: at + 5 };
}

function number(bytes: Uint8Array, at: number, size: number): number {
  return bytes.subarray(at, at + size).reduce((value, byte) => value * 256 + byte, 0);
}

function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64.replaceAll(/\s+/g, '')), (one) => one.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}
