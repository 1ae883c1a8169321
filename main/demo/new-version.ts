import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseChanges } from '../../domain/source-package.ts';
import { readFile } from 'node:fs/promises';
import { runCommand } from './run-command.ts';

const DEVELOPER = { DEBFULLNAME: 'Airline Demo', DEBEMAIL: 'demo@airline.example' };

/** A signed source package upload on disk. */
export type SignedUpload = {
  source: string;
  version: string;
  directory: string;
  /** Names of its files, the `.changes` last. */
  files: string[];
};

/**
 * Makes a new version of a source package with a changelog entry, as a developer would, and signs it with a key
 * made for the purpose.
 *
 * @param keysDirectory where the public key is put for the PPA to know it
 */
export async function makeNewVersion(options: {
  dsc: string;
  directory: string;
  series: string;
  keysDirectory: string;
  now: Date;
}): Promise<SignedUpload> {
  const { dsc, directory, series } = options;
  await mkdir(directory, { recursive: true });
  const inDirectory = { cwd: directory };
  await runCommand('dpkg-source', ['--no-check', '-x', dsc, 'tree'], inDirectory);
  const tree = { cwd: join(directory, 'tree'), environment: DEVELOPER };
  const before = (await runCommand('dpkg-parsechangelog', ['-S', 'Version'], tree)).trim();
  const stamp = options.now.toISOString().replace(/\D/g, '').slice(0, 14);
  const version = `${before}+airline${stamp}`;
  await runCommand(
    'dch',
    [
      '--newversion',
      version,
      '--distribution',
      series,
      '--force-distribution',
      'Rebuild for the demonstration.',
    ],
    tree,
  );
  // dpkg-buildpackage wants the upstream tarball beside the tree.
  const originals = (await readdir(dirname(dsc))).filter((file) =>
    /\.orig(?:-[a-z0-9-]+)?\.tar\./.test(file),
  );
  for (const file of originals)
    await runCommand('cp', [join(dirname(dsc), file), directory], inDirectory);
  await runCommand(
    'dpkg-buildpackage',
    [
      '--build=source',
      '--no-pre-clean',
      '--no-check-builddeps',
      '--unsigned-source',
      '--unsigned-changes',
      '-sa',
      '-renv',
    ],
    tree,
  );
  const changes = (await readdir(directory)).find((file) => file.endsWith('_source.changes'));
  if (!changes) throw new Error('dpkg-buildpackage made no .changes.');
  await sign(join(directory, changes), options.keysDirectory);
  const parsed = parseChanges(await readFile(join(directory, changes), 'utf8'), changes);
  return {
    source: parsed.source,
    version: parsed.version,
    directory,
    files: [...parsed.files.map(({ name }) => name), changes],
  };
}

async function sign(changes: string, keysDirectory: string): Promise<void> {
  // A home of its own with a short path: an agent's socket does not fit into a long one.
  const home = await mkdtemp(join(tmpdir(), 'airline-key-'));
  const options = { cwd: dirname(changes), environment: { GNUPGHOME: home } };
  try {
    const identity = `${DEVELOPER.DEBFULLNAME} <${DEVELOPER.DEBEMAIL}>`;
    await runCommand(
      'gpg',
      [
        '--batch',
        '--quiet',
        '--passphrase',
        '',
        '--quick-generate-key',
        identity,
        'ed25519',
        'sign',
        '1d',
      ],
      options,
    );
    const publicKey = await runCommand(
      'gpg',
      ['--batch', '--armor', '--export', identity],
      options,
    );
    await mkdir(keysDirectory, { recursive: true });
    await writeFile(join(keysDirectory, 'demo.asc'), publicKey);
    await runCommand('debsign', ['--no-conf', `-k${identity}`, changes], options);
  } finally {
    await runCommand('gpgconf', ['--kill', 'all'], options).catch(() => undefined);
    await rm(home, { recursive: true, force: true });
  }
}
