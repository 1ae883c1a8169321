import { isKeyNamed, signatureIssuer } from '../../../domain/packages/signature-issuer.ts';

const PRIMARY = '6BBBDEFC5C03C096FBCC2554B57D06D58EF70365';
const SUBKEY = '67A7474B957B4A1FE3C92D9F4386190CE14890DF';
const BY_PRIMARY = [
  'iHUEARYIAB0WIQRru978XAPAlvvMJVS1fQbVjvcDZQUCawLxRQAKCRC1fQbVjvcD',
  'ZTxKAP4j2cr9xDAn8KOXi49znzvf6W9Nvfb4xDoFIXWx0c16kgD/UIvEyJ8Kxi99',
  'pLubx66SQ20Bmp/qPQgQRUGPvmEDVgI=',
  '=6yr+',
];
const BY_SUBKEY = [
  'iHUEARYIAB0WIQRnp0dLlXtKH+PJLZ9DhhkM4UiQ3wUCawLxRQAKCRBDhhkM4UiQ',
  '32+AAP40eij5C6LcbzkytT/6kPoWaup3FjwIAyiSf+ToAHO1GAEAhjBaYGuRl9LJ',
  'Zsu3MmYxdzRRmIabZbk6eCrQsvmzPAU=',
  '=7zYZ',
];

const signed = (armour: readonly string[], headers: readonly string[] = []) =>
  [
    '-----BEGIN PGP SIGNED MESSAGE-----',
    'Hash: SHA256',
    '',
    'x',
    '-----BEGIN PGP SIGNATURE-----',
    ...headers,
    '',
    ...armour,
    '-----END PGP SIGNATURE-----',
    '',
  ].join('\n');
const armoured = (bytes: readonly number[]) => [Buffer.from(bytes).toString('base64')];
/** A signature packet of version 4 in the old form, with these subpackets and no signature. */
const packet = (hashed: readonly number[], unhashed: readonly number[], head = 0x88) => {
  const body = [4, 1, 22, 8, 0, hashed.length, ...hashed, 0, unhashed.length, ...unhashed];
  return [head, body.length, ...body];
};
const KEY_ID = [9, 16, 0xb5, 0x7d, 0x06, 0xd5, 0x8e, 0xf7, 0x03, 0x65];

describe('the key that a text is signed with', () => {
  it.each([
    ['a primary key', signed(BY_PRIMARY), PRIMARY],
    ['a subkey', signed(BY_SUBKEY), SUBKEY],
    ['lines that end in CR LF', signed(BY_PRIMARY).replaceAll('\n', '\r\n'), PRIMARY],
    ['headers', signed(BY_PRIMARY, ['Version: GnuPG v1', 'Comment: none']), PRIMARY],
    ['no checksum', signed(BY_PRIMARY.slice(0, 3)), PRIMARY],
    ['a key id alone', signed(armoured(packet([], KEY_ID))), PRIMARY.slice(-16)],
    ['a packet in the new form', signed(armoured(packet([], KEY_ID, 0xc2))), PRIMARY.slice(-16)],
  ])('is read from a signature with %s', (_what, text, key) => {
    expect(signatureIssuer(text)).toBe(key);
  });

  it.each([
    ['no signature', 'Source: hello\n'],
    ['what only looks like one', signed(['iQIz'])],
    ['what is no base64', signed(['iQIz='])],
    ['another packet', signed(armoured(packet([], KEY_ID, 0x98)))],
    ['neither fingerprint nor key id', signed(armoured(packet([5, 2, 0, 0, 0, 0], [])))],
    ['a subpacket without a length', signed(armoured(packet([0, 0, 0], [])))],
    ['a key id that is cut', signed(armoured(packet([], KEY_ID.slice(0, 6))))],
  ])('is unknown where there is %s', (_what, text) => {
    expect(signatureIssuer(text)).toBeUndefined();
  });

  it('is never a part of the fingerprint where the signature is cut', () => {
    const whole = Buffer.from(BY_PRIMARY.slice(0, 3).join(''), 'base64');
    for (let length = 0; length < whole.length; length++)
      expect([undefined, PRIMARY, PRIMARY.slice(-16)]).toContain(
        signatureIssuer(signed(armoured([...whole.subarray(0, length)]))),
      );
  });
});

it.each([
  [PRIMARY.slice(-16), true],
  [PRIMARY.toLowerCase(), true],
  [SUBKEY, false],
])('the fingerprint is named by %s: %s', (named, isNamed) => {
  expect(isKeyNamed(PRIMARY, named)).toBe(isNamed);
});
