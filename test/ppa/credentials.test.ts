import { authorization, parseCredentials } from '../../ppa/credentials.ts';

const FILE = `[1]
consumer_key = airline
consumer_secret =
access_token = aToken
access_secret = a&Secret
`;

describe('the Launchpad credentials file', () => {
  it('is read as launchpadlib writes it', () => {
    expect(parseCredentials(FILE)).toEqual({
      consumerKey: 'airline',
      accessToken: 'aToken',
      accessSecret: 'a&Secret',
    });
  });

  it('may name this machine as its consumer, in words', () => {
    const consumer = 'System-wide: Debian GNU/Linux (build-host)';
    const written = FILE.replace('= airline', `= ${consumer}`);
    expect(parseCredentials(written)).toEqual({ ...parseCredentials(FILE), consumerKey: consumer });
  });

  it('that lacks a field is refused by its name, without showing a secret', () => {
    const broken = FILE.replace(/access_token.*\n/, '');
    expect(() => parseCredentials(broken)).toThrow('has no access_token');
    expect(() => parseCredentials(broken)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('a&Secret') }),
    );
  });

  it('makes an OAuth header with a PLAINTEXT signature and a nonce for each request', () => {
    const first = authorization(parseCredentials(FILE));
    expect(first).toMatch(
      /^OAuth realm="OAuth", oauth_consumer_key="airline", oauth_token="aToken", oauth_signature_method="PLAINTEXT", oauth_signature="%26a%26Secret", oauth_timestamp="\d{10}", oauth_nonce="[^"]+", oauth_version="1.0"$/,
    );
    expect(authorization(parseCredentials(FILE))).not.toBe(first);
  });
});
