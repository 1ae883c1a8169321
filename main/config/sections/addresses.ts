import { z } from 'zod';
import { optional, section, text, url, type Setting } from '../setting.ts';

const HOST_AND_PORT = z.string().regex(/^[^\s/]+$/, 'is no host:port');
const WEB = ['http:', 'https:'];

export const addresses = section(
  'Addresses of the parts; where one is set, the embedded stack does not start its own',
  {
    addresses: {
      databaseUrl: url(
        ['postgres:', 'postgresql:'],
        'AIRLINE_DATABASE_URL',
        'PostgreSQL, postgres://user:password@host:port/name. With TLS: `?sslmode=verify-full&sslrootcert=/path/ca.pem`. Unset: a private cluster.',
      ),
      amqpUrl: withEncodedUser(
        url(
          ['amqp:', 'amqps:'],
          'AIRLINE_AMQP_URL',
          'RabbitMQ, amqp://user:password@host:port/vhost, or amqps:// with TLS; user, password and vhost in percent-encoding. Unset: a private node.',
        ),
      ),
      temporalAddress: optional(
        'address',
        'AIRLINE_TEMPORAL_ADDRESS',
        'Temporal frontend, host:port. Unset: a development server.',
        HOST_AND_PORT,
      ),
      temporalUiUrl: url(
        WEB,
        'AIRLINE_TEMPORAL_UI_URL',
        "Temporal's Web UI, for links to a build. Unset: the development server's.",
      ),
      launchpadUrl: url(
        WEB,
        'AIRLINE_LAUNCHPAD_URL',
        'Root of the Launchpad web service, without the version. Unset: the local stand-in.',
      ),
      uploadHost: optional(
        'address',
        'AIRLINE_UPLOAD_HOST',
        'FTP server that takes uploads, host:port. Unset: the stand-in.',
        HOST_AND_PORT,
      ),
      aptUrl: url(
        WEB,
        'AIRLINE_APT_URL',
        "Root of the PPAs' apt repositories, for the apt line of a completed build. Unset: https://ppa.launchpadcontent.net, or the stand-in's.",
      ),
    },
    temporal: {
      namespace: text(
        'name',
        'AIRLINE_TEMPORAL_NAMESPACE',
        'default',
        'Temporal namespace, of this Airline alone: another Airline in it would take its work.',
      ),
    },
    launchpad: {
      credentialsFile: optional(
        'path',
        'AIRLINE_LAUNCHPAD_CREDENTIALS',
        'File with the OAuth token of the Launchpad account, as launchpadlib writes it. Unset: anonymous.',
      ),
    },
  },
);

/** A URL whose user and password can be decoded. */
function withEncodedUser(setting: Setting<string | undefined>): Setting<string | undefined> {
  const schema = setting.schema.refine(
    (value) => value === undefined || !URL.canParse(value) || isUserEncoded(new URL(value)),
    'has a user or password that is not in percent-encoding',
  );
  return { ...setting, schema };
}

function isUserEncoded({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username);
    decodeURIComponent(password);
    return true;
  } catch {
    return false;
  }
}
