import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foreignEnvironment } from '../main/config/config.ts';
import { VERSION } from '../main/config/version.ts';
import { freePorts, portVariables } from '../test/support/stack/free-ports.ts';
import { packageCommand } from './cli-package/package-command.ts';
import { tryDeb } from './cli-package/try-deb.ts';

// `npm run deb:check`: the Debian package of the command, built by an Airline of its own (api, worker, PPA with
// sbuild), installed in a bare Debian, used and removed. Exit code 0 only if all of it held.

/**
 * Has an Airline of its own build a source package, as `npm run demo` does it for people.
 *
 * @returns the path of what it built, below the folder
 */
async function buildByAirline(dsc: string, folder: string): Promise<string> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'main/demo.ts', '--package', dsc], {
    env: {
      ...foreignEnvironment(),
      AIRLINE_STATE_DIR: join(folder, 'state'),
      ...portVariables(await freePorts()),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    output += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const deb = /built: (\S+\.deb)$/m.exec(output)?.[1];
  if (code !== 0 || deb === undefined) throw new Error('Airline did not build it: see above.');
  return deb;
}

const folder = await mkdtemp(join(tmpdir(), 'airline-check-deb-'));
// Builds run as another user.
await chmod(folder, 0o755);
try {
  const { dsc } = await packageCommand(folder);
  const deb = await buildByAirline(dsc, folder);
  await tryDeb(deb, VERSION, (text) => process.stdout.write(text));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
