import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AirlineError } from '../../domain/errors.ts';
import { CONTROL_FILE_MAX_BYTES, unsignedText } from '../../domain/packages/control-file.ts';
import type { StoredFile } from '../../store/store.ts';

/** However it came there: what gpg finds in a file need not be at its beginning. */
const ARMOUR = /^-----BEGIN PGP /m;

/**
 * A stored `.changes`, or `.buildinfo` that may be one but for its name, as others may have it: Launchpad takes an
 * upload from whoever brings a signed `.changes`, for any archive that its signer may upload to. Launchpad, too, shows
 * none with its signature (`createQueueEntry` in lib/lp/registry/model/distroseries.py).
 *
 * @returns the file without its signature; its version is that of what is stored
 * @throws AirlineError `not_found` where the signature cannot be left out, or the file is larger than a build takes it
 */
export async function withoutSignature(file: StoredFile, name: string): Promise<StoredFile> {
  if (file.sizeBytes > CONTROL_FILE_MAX_BYTES) {
    file.stream.destroy();
    throw notShown(name);
  }
  const bytes = Buffer.from(unsigned(await buffer(file.stream), name), 'latin1');
  return { ...file, stream: Readable.from([bytes]), sizeBytes: bytes.length };
}

/** In Latin-1, which keeps bytes that are no UTF-8 as they are. */
function unsigned(content: Buffer, name: string): string {
  try {
    const text = unsignedText(content.toString('latin1'), name);
    if (!ARMOUR.test(text)) return text;
  } catch (error) {
    if (!(error instanceof AirlineError)) throw error;
  }
  throw notShown(name);
}

function notShown(name: string): AirlineError {
  return new AirlineError('not_found', `${name} cannot be shown without its signature.`);
}
