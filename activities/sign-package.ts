/** How unsigned sources are signed. */
export type Signing = {
  /** Key id or fingerprint, as `debsign -k` takes it. */
  keyId: string;
  /** GnuPG home of the keyring; null is the user's own. */
  gnupgHome: string | null;
};
