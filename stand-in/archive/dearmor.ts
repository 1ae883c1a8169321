/** The public keys of an armoured text, in binary. Binary keyrings may simply be joined (RFC 4880, sections 6.2 and 11.1). */
export function dearmor(text: string): Buffer[] {
  const blocks = text.matchAll(
    /^-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n(?:[^\r\n]+: [^\r\n]*\r?\n)*\r?\n([A-Za-z0-9+/=\r\n]+?)(?:\r?\n=[A-Za-z0-9+/]{4})?\r?\n-----END PGP PUBLIC KEY BLOCK-----/gm,
  );
  return [...blocks].map(([, body = '']) => Buffer.from(body, 'base64'));
}
