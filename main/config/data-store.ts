import { join } from 'node:path';
import type { Logger } from 'pino';
import { createFileStore } from '../../store/file.ts';
import { createS3Store, loadS3Packages } from '../../store/s3.ts';
import type { DataStore } from '../../store/store.ts';
import { formerStoreUrls, storeUrl } from './addresses.ts';
import { foreignEnvironment, type Config } from './config.ts';

/** Opens the data store that the configuration names: a bucket, or a folder of the state directory. */
export async function openStore(config: Config, logger: Logger): Promise<DataStore> {
  const addresses = { baseUrl: storeUrl(config), formerUrls: formerStoreUrls(config) };
  const { address } = config.store;
  if (address === undefined)
    return createFileStore({ directory: join(config.directories.state, 'store'), ...addresses });
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = foreignEnvironment();
  return createS3Store({
    packages: await loadS3Packages(),
    address,
    ...addresses,
    hasOwnAddress: Boolean(AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL),
    onSweepFailed: (error) =>
      logger.warn({ err: error }, 'what a crash has left in the bucket was not removed'),
  });
}
