/** A packet of an OpenPGP message (RFC 9580, section 4.2). One that is cut has what there is of its body. */
export type Packet = { readonly tag: number; readonly body: Uint8Array };

/**
 * The armoured blocks of a kind in a text, in binary (RFC 9580, section 6.2). Checksums are not verified.
 *
 * @param kind as the first line names it
 * @returns an empty block where there is no base64
 */
export function armouredBlocks(text: string, kind: 'SIGNATURE' | 'PUBLIC KEY BLOCK'): Uint8Array[] {
  // The text comes from strangers: no line of it can be read as a header in two ways.
  const block = new RegExp(
    String.raw`^-----BEGIN PGP ${kind}-----\r?\n(?:[^\r\n:]+: [^\r\n]*\r?\n)*\r?\n([A-Za-z0-9+/=\r\n]+?)(?:\r?\n=[A-Za-z0-9+/]{4})?\r?\n-----END PGP ${kind}-----`,
    'gm',
  );
  return [...text.matchAll(block)].map(([, body = '']) => bytesOf(body));
}

/** The packets of a message, each of a known length; what follows one without is left out. */
export function* packetsOf(bytes: Uint8Array): Generator<Packet> {
  for (let at = 0; at < bytes.length;) {
    const head = bytes[at] ?? 0;
    const isNewForm = (head & 0x40) !== 0;
    const extent = isNewForm ? newExtent(bytes, at + 1) : oldExtent(bytes, at + 1, head & 3);
    if (!extent || extent.start > bytes.length) return;
    const end = extent.start + extent.length;
    yield {
      tag: isNewForm ? head & 0x3f : (head >> 2) & 0xf,
      body: bytes.subarray(extent.start, end),
    };
    at = end;
  }
}

/** The subpackets of a signature, by type; of several of one type, the last (RFC 9580, section 5.2.3.7). */
export function subpacketsOf(area: Uint8Array): Map<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  for (let at = 0; at < area.length;) {
    const { length, start } = variableLength(area, at, 255);
    found.set((area[start] ?? 0) & 0x7f, area.subarray(start + 1, start + length));
    at = start + length;
  }
  return found;
}

/** A number of several bytes, the highest first. */
export function number(bytes: Uint8Array, at: number, size: number): number {
  return bytes.subarray(at, at + size).reduce((value, byte) => value * 256 + byte, 0);
}

type Extent = { length: number; start: number };

/** Undefined for a body in parts. */
function newExtent(bytes: Uint8Array, at: number): Extent | undefined {
  const first = bytes[at] ?? 0;
  return first >= 224 && first < 255 ? undefined : variableLength(bytes, at, 224);
}

/** Undefined where the packet goes to the end of the message. */
function oldExtent(bytes: Uint8Array, at: number, type: number): Extent | undefined {
  const size = 1 << type;
  return type === 3 ? undefined : { length: number(bytes, at, size), start: at + size };
}

/** A length in one, two or five bytes. @param fiveFrom a first byte from here on begins one of five */
function variableLength(bytes: Uint8Array, at: number, fiveFrom: number): Extent {
  const first = bytes[at] ?? 0;
  if (first < 192) return { length: first, start: at + 1 };
  if (first < fiveFrom)
    return { length: ((first - 192) << 8) + (bytes[at + 1] ?? 0) + 192, start: at + 2 };
  return { length: number(bytes, at + 1, 4), start: at + 5 };
}

function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64.replaceAll(/\s+/g, '')), (one) => one.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
