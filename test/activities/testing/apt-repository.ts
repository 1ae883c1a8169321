import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Machine } from '../../../sandbox/machine.ts';
import { makeSigningKey } from '../../support/signing-key.ts';

const execute = promisify(execFile);

/** A binary package of a repository; of all architectures, and of no files. */
type RepositoryPackage = {
  name: string;
  version: string;
  isEssential?: boolean;
  /** A script that runs as it is installed. */
  postinst?: string;
};

/** A signed apt repository of a test's own, served on this machine. */
export type AptRepository = {
  address: string;
  /** Where it is served on 127.0.0.1. */
  port: number;
  /** Armoured. */
  publicKey: string;
  /** Adds packages. */
  publish(...packages: RepositoryPackage[]): Promise<void>;
  close(): void;
};

/**
 * Serves an empty folder as an apt repository. Programs of Debian write its packages and its indexes.
 *
 * @param directory an empty folder
 */
export async function openAptRepository(
  directory: string,
  { series, architecture }: Pick<Machine, 'series' | 'architecture'>,
): Promise<AptRepository> {
  const key = await makeSigningKey();
  const server = createServer((request, response) => {
    readFile(join(directory, request.url ?? '')).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const list = async (cwd: string, ...what: string[]) =>
    (await execute('apt-ftparchive', [...what, '.'], { cwd })).stdout;
  return {
    address: `http://127.0.0.1:${port}`,
    port,
    publicKey: key.publicKey,
    async publish(...packages) {
      for (const each of packages) await writePackage(each, directory);
      const suite = join(directory, 'dists', series);
      const binaries = join(suite, 'main', `binary-${architecture}`);
      await mkdir(binaries, { recursive: true });
      await writeFile(join(binaries, 'Packages'), await list(directory, 'packages'));
      const codename = `APT::FTPArchive::Release::Codename=${series}`;
      const release = await list(suite, '-o', codename, 'release');
      await writeFile(join(suite, 'InRelease'), await key.clearSign(release));
    },
    close: () => void server.close(),
  };
}

async function writePackage(
  { name, version, isEssential = false, postinst }: RepositoryPackage,
  directory: string,
): Promise<void> {
  const tree = join(directory, 'trees', name);
  await mkdir(join(tree, 'DEBIAN'), { recursive: true });
  await writeFile(
    join(tree, 'DEBIAN/control'),
    [
      `Package: ${name}`,
      `Version: ${version}`,
      'Architecture: all',
      ...(isEssential ? ['Essential: yes'] : []),
      'Maintainer: Test <test@airline.example>',
      'Description: what a repository has\n',
    ].join('\n'),
  );
  if (postinst !== undefined)
    await writeFile(join(tree, 'DEBIAN/postinst'), postinst, { mode: 0o755 });
  await execute('dpkg-deb', ['--build', '--root-owner-group', tree, directory]);
}
