/** What the address of an archive is, below the root of the web; for a pattern that captures it. */
export const ARCHIVE_ADDRESS = String.raw`(~[^/]+/\+archive/[^/]+/[^/]+|[^/]+/\+archive/primary)`;

const PPA = /^(~[^/]+)\/\+archive\/([^/]+\/[^/]+)$/;
const PRIMARY = /^([^/]+)\/\+archive\/primary$/;

/** The reference of the archive that has an address, whether it exists or not; undefined where it is none's. */
export function referenceAt(address: string): string | undefined {
  const [, owner, name] = PPA.exec(address) ?? [];
  return owner === undefined ? PRIMARY.exec(address)?.[1] : `${owner}/${name}`;
}
