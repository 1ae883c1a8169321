import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageCommand } from '../../scripts/cli-package/package-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { json, useScript } from './script-server.ts';

const run = promisify(execFile);
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const PATH = process.env['PATH'] ?? '';

jest.setTimeout(300_000);

let packed: { tarball: string; dsc: string };
beforeAll(async () => {
  packed = await packageCommand(temporaryDirectory());
});

describe('the npm package of the command', () => {
  const server = useScript();

  it('is installed alone into an empty prefix, and talks to a server', async () => {
    const prefix = temporaryDirectory();
    const home = temporaryDirectory();
    const env = { PATH, HOME: home };
    await run('npm', ['install', '--global', '--offline', '--prefix', prefix, packed.tarball], {
      env,
    });
    const airline = join(prefix, 'bin/airline');
    expect((await run(airline, ['--version'], { env, cwd: home })).stdout).toBe(`${version}\n`);
    server.play(json(200, { name: 'ann', scopes: ['read'], expires_at: null }));
    const { stdout } = await run(airline, ['whoami', '--quiet'], {
      env: { ...env, ...server.environment },
      cwd: home,
    });
    expect(stdout).toBe('ann\n');
  });

  it('has nothing of the server, and depends on nothing', async () => {
    const { stdout: names } = await run('tar', ['-tzf', packed.tarball]);
    for (const name of names.trim().split('\n'))
      expect(name).toMatch(
        /^package\/(?:airline\.mjs|package\.json|README\.md|LICENSE|man\/|completion\/)/,
      );
    const { stdout } = await run('tar', ['-xzOf', packed.tarball, 'package/package.json']);
    expect(JSON.parse(stdout)).not.toHaveProperty('dependencies');
  });
});

describe('the Debian package of the command', () => {
  it('is built by dpkg-buildpackage, with the manual pages and the completions', async () => {
    const folder = temporaryDirectory();
    await run('dpkg-source', ['--extract', packed.dsc, join(folder, 'source')], { cwd: folder });
    await run('dpkg-buildpackage', ['--build=binary', '--no-sign', '--no-check-builddeps'], {
      cwd: join(folder, 'source'),
      maxBuffer: 16 * 2 ** 20,
    });
    const deb = join(folder, `airline-cli_${version}_all.deb`);
    const { stdout: listed } = await run('dpkg-deb', ['--contents', deb]);
    for (const path of [
      './usr/bin/airline -> ../lib/airline/airline.mjs',
      './usr/lib/airline/airline.mjs',
      './usr/share/man/man1/airline.1.gz',
      './usr/share/man/man1/airline-build.1.gz',
      './usr/share/bash-completion/completions/airline',
      './usr/share/zsh/vendor-completions/_airline',
    ])
      expect(listed).toContain(path);
    const root = join(folder, 'root');
    await run('dpkg-deb', ['--extract', deb, root]);
    const { stdout } = await run(join(root, 'usr/bin/airline'), ['--version'], { env: { PATH } });
    expect(stdout).toBe(`${version}\n`);
    const page = join(root, 'usr/share/man/man1/airline-build.1.gz');
    const shown = await run('man', ['--warnings', '--local-file', page], {
      env: { PATH, MANWIDTH: '80', LC_ALL: 'C.UTF-8' },
      maxBuffer: 16 * 2 ** 20,
    });
    expect(shown.stderr).toBe('');
    expect(shown.stdout).toContain('airline build download <build>');
    expect(shown.stdout).toContain('--architecture <name>');
  });
});
