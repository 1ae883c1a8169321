import { randomUUID } from 'node:crypto';

/** An OAuth token of a Launchpad account. */
export type Credentials = { consumerKey: string; accessToken: string; accessSecret: string };

/**
 * Reads the file that launchpadlib writes: one INI section with `consumer_key`, `access_token` and `access_secret`.
 *
 * @throws Error that names what is missing, without any secret
 */
export function parseCredentials(text: string): Credentials {
  const values = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const entry = /^([a-z_]+)\s*[=:]\s*(.*?)\s*$/.exec(line);
    if (entry?.[1] !== undefined && entry[2] !== undefined) values.set(entry[1], entry[2]);
  }
  const value = (name: string) => {
    const found = values.get(name);
    if (!found) throw new Error(`The Launchpad credentials file has no ${name}.`);
    return found;
  };
  return {
    consumerKey: value('consumer_key'),
    accessToken: value('access_token'),
    accessSecret: value('access_secret'),
  };
}

/** The `Authorization` header of one request: OAuth 1.0 with PLAINTEXT signature, the only one Launchpad takes. */
export function authorization(credentials: Credentials): string {
  const parameters = {
    oauth_consumer_key: credentials.consumerKey,
    oauth_token: credentials.accessToken,
    oauth_signature_method: 'PLAINTEXT',
    oauth_signature: `&${credentials.accessSecret}`,
    oauth_timestamp: String(Math.floor(Date.now() / 1_000)),
    oauth_nonce: randomUUID(),
    oauth_version: '1.0',
  };
  const pairs = Object.entries(parameters).map(
    ([name, value]) => `${name}="${encodeURIComponent(value)}"`,
  );
  return `OAuth realm="OAuth", ${pairs.join(', ')}`;
}
