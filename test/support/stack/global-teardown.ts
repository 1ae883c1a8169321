import { stopStack } from './global-setup.ts';

/** Ends what global-setup.ts started. */
export default async function globalTeardown(): Promise<void> {
  await stopStack();
}
