import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { aptSource } from '../../../domain/builds/built-package.ts';
import { openStandIn, type OwnStandIn } from '../../support/stand-in.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const execute = promisify(execFile);
const LIMIT_MS = 60_000;
const PPA = { owner: 'me', distribution: 'debian', name: 'test' };

let standIn: OwnStandIn;
let line: string;
let fingerprint: string;
beforeAll(async () => {
  standIn = await openStandIn({
    script: {
      sources: { '*': { builds: { '*': [{ state: 'Successfully built', binaries: true }] } } },
    },
  });
  const source = await standIn.make({ name: 'greeting' });
  await standIn.upload(source.files);
  await standIn.untilPublished(await standIn.publication(source));
  const archive = (await (await standIn.read(standIn.archiveUrl())).json()) as Record<
    string,
    string
  >;
  fingerprint = archive['signing_key_fingerprint'] as string;
  line = aptSource(PPA, 'bookworm', { root: `${standIn.webUrl}/apt`, fingerprint });
});
afterAll(() => standIn.close());

/** An apt that has no sources and no keys yet, and a shell whose commands are those of the tutorial. */
function openMachine() {
  const root = temporaryDirectory();
  const etc = join(root, 'etc/apt');
  for (const folder of [
    'etc/apt/apt.conf.d',
    'etc/apt/preferences.d',
    'etc/apt/sources.list.d',
    'etc/apt/trusted.gpg.d',
    'var/lib/apt/lists/partial',
    'var/cache/apt/archives/partial',
    'bin',
  ])
    mkdirSync(join(root, folder), { recursive: true });
  const configuration = join(root, 'apt.conf');
  writeFileSync(
    configuration,
    `Dir "${root}"; Dir::State::status "/dev/null"; APT::Architecture "amd64"; APT::Sandbox::User "";\n`,
  );
  writeFileSync(join(root, 'shown'), `For apt, once it has the key of the PPA\n  ${line}\n`);
  writeFileSync(join(root, 'bin/npx'), `#!/bin/sh\ncat ${join(root, 'shown')}\n`, { mode: 0o755 });
  const env = {
    ...process.env,
    PATH: `${join(root, 'bin')}:${process.env['PATH']}`,
    APT_CONFIG: configuration,
    LC_ALL: 'C',
  };
  return {
    etc,
    /** Adds the line of the build to the sources. */
    addLine: () => writeFileSync(join(etc, 'sources.list.d', 'ppa.list'), `${line}\n`),
    /** @throws Error with `code` and `stderr` where apt does not take its sources */
    update: () => execute('apt-get', ['update'], { env, timeout: LIMIT_MS }),
    /** Runs commands of a page here. @returns what they print */
    run: async (commands: string) => {
      const here = commands.replaceAll('/etc/apt/', `${etc}/`);
      return (await execute('sh', ['-euc', here], { env, timeout: LIMIT_MS })).stdout;
    },
  };
}

describe('the line for apt of a build', () => {
  it('is refused by an apt that does not have the key', async () => {
    const machine = openMachine();
    machine.addLine();
    await expect(machine.update()).rejects.toMatchObject({
      code: 100,
      stderr: expect.stringContaining('NO_PUBKEY'),
    });
  });

  it('is taken with the key that docs/lander.md says where to get', async () => {
    const [, path] = /`(\/pks\/lookup\?\S+)`/.exec(readFileSync('docs/lander.md', 'utf8')) ?? [];
    const address = `${standIn.webUrl}${path?.replace('<fingerprint>', fingerprint)}`;
    const machine = openMachine();
    machine.addLine();
    const key = await (await standIn.read(address)).text();
    writeFileSync(join(machine.etc, 'trusted.gpg.d', 'ppa.asc'), key);
    expect(await machine.update()).toMatchObject({ stderr: '' });
  });

  it('is taken with the commands of docs/tutorial.md, which leave nothing behind', async () => {
    const [, section = ''] =
      /^## Where the package is\n([^]*?)\n## /m.exec(readFileSync('docs/tutorial.md', 'utf8')) ??
      [];
    const commands = [...section.matchAll(/^\$ (.*)$/gm)]
      .map(([, command = '']) => command.replace('http://127.0.0.1:8085', standIn.webUrl))
      .filter((command) => /\/etc\/apt\/|apt-get update/.test(command));
    const machine = openMachine();
    const isRemoval = (command: string) => command.startsWith('rm ');
    expect(await machine.run(commands.filter((one) => !isRemoval(one)).join('\n'))).toMatch(
      /^greeting:\n[^]* 1\.0 500\n +500 \S+\/apt\/me\/test\/debian bookworm\/main amd64 Packages$/m,
    );
    expect(
      await machine.run(`${commands.filter(isRemoval).join('\n')}\nfind /etc/apt/ -type f`),
    ).toBe('');
  });
});
