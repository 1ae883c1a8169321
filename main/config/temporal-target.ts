import { readFileSync } from 'node:fs';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { requiredAddress } from './addresses.ts';
import { ConfigError, type Config } from './config.ts';
import { tls as section } from './sections/tls.ts';

type TlsOptions = Extract<NativeConnectionOptions['tls'], object>;

/** How to reach Temporal, as its SDK takes it. */
export type TemporalTarget = {
  readonly address: string;
  readonly tls?: TlsOptions;
  readonly apiKey?: string;
};

const { temporalTls: FILES, amqpTls: BROKER_FILES } = section.settings;

/**
 * How the configuration says to reach Temporal. TLS is used where any of its settings asks for it. Files are read now:
 * a new certificate or key is used after a restart.
 *
 * @param address where the configuration names none
 * @throws ConfigError where a file cannot be read, or one of certificate and key is missing
 */
export function temporalTarget(
  config: Config,
  address = requiredAddress(config, 'temporalAddress'),
): TemporalTarget {
  const { isOn, ca, certificate, key, serverName, apiKeyFile } = config.temporalTls;
  if (!certificate !== !key)
    throw new ConfigError(
      `${FILES.certificate.variable} and ${FILES.key.variable} belong together: set both or neither.`,
    );
  const apiKey = apiKeyFile && read(apiKeyFile, FILES.apiKeyFile.variable).toString().trim();
  const tls: TlsOptions = {
    ...(serverName ? { serverNameOverride: serverName } : {}),
    ...(ca ? { serverRootCACertificate: read(ca, FILES.ca.variable) } : {}),
    ...(certificate && key
      ? {
          clientCertPair: {
            crt: read(certificate, FILES.certificate.variable),
            key: read(key, FILES.key.variable),
          },
        }
      : {}),
  };
  // An API key must not be sent in the clear.
  const usesTls = isOn || Boolean(apiKey) || Object.keys(tls).length > 0;
  return { address, ...(usesTls ? { tls } : {}), ...(apiKey ? { apiKey } : {}) };
}

/** The certificate of the authority that RabbitMQ's is signed by; undefined: one that Node trusts. */
export function amqpCa({ amqpTls }: Config): Buffer | undefined {
  return amqpTls.ca === undefined ? undefined : read(amqpTls.ca, BROKER_FILES.ca.variable);
}

function read(path: string, variable: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(`${variable}: ${(error as Error).message}`);
  }
}
