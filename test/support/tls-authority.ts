import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** Files of a certificate and its key, in PEM. */
export type Identity = { certificate: string; key: string };

/** An authority of a test's own that signs certificates. */
export type TlsAuthority = {
  /** File of its own certificate. */
  ca: string;
  /** Signs a certificate for a host name or, of a client, any name. */
  issue(name: string): Promise<Identity>;
};

/** Makes an authority. Nothing but what is told of `ca` trusts it. */
export async function makeTlsAuthority(): Promise<TlsAuthority> {
  const directory = temporaryDirectory();
  const path = (name: string) => join(directory, name);
  const openssl = (line: string) => run('openssl', line.split(' '), { cwd: directory });
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  await openssl(`req -x509 ${newKey} -days 2 -subj /CN=Airline -keyout ca.key -out ca.pem`);
  return {
    ca: path('ca.pem'),
    async issue(name) {
      writeFileSync(path(`${name}.ext`), `subjectAltName=DNS:${name}\n`);
      await openssl(`req ${newKey} -subj /CN=${name} -keyout ${name}.key -out ${name}.csr`);
      await openssl(
        `x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ${name}.ext -out ${name}.pem`,
      );
      return { certificate: path(`${name}.pem`), key: path(`${name}.key`) };
    },
  };
}
