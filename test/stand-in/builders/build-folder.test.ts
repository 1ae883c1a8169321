import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { readMachine } from '../../../sandbox/machine.ts';
import type { Unprivileged } from '../../../sandbox/unprivileged.ts';
import { openArchiveState, type ArchiveState } from '../../../stand-in/archive/archive-state.ts';
import { layoutOf } from '../../../stand-in/archive/layout.ts';
import type { Build, SourcePublication } from '../../../stand-in/archive/records.ts';
import type { BuildOutcome } from '../../../stand-in/builders/builder.ts';
import { openSbuildBuilder } from '../../../stand-in/builders/sbuild-builder.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const DSC = 'probe_1.0.dsc';
const CHANGES = 'probe_1.0_amd64.changes';

let state: ArchiveState;
/** Stands for a file of root's. */
let victim: string;
beforeEach(() => {
  victim = join(temporaryDirectory(), 'victim');
  writeFileSync(victim, 'of root\n', { mode: 0o600 });
});
afterEach(() => state.close());

/** Builds with an sbuild that leaves a .changes, where another build of the same user is out of its chroot. */
async function build(other: {
  /** A folder of the user's was made. */
  onFolder?: (path: string) => void;
}): Promise<{ outcome: BuildOutcome; builtDir: string }> {
  const cacheDir = temporaryDirectory();
  const machine = await readMachine();
  const { distribution, series, architecture } = machine;
  const layout = layoutOf(temporaryDirectory());
  state = openArchiveState(layout.root);
  const archive = `~me/${distribution}/test`;
  const dsc = layout.poolFile(archive, 'probe', DSC);
  mkdirSync(dirname(dsc), { recursive: true });
  writeFileSync(dsc, '');
  let builtDir = '';
  const unprivileged: Unprivileged = {
    async makeDirectory(path) {
      mkdirSync(path, { recursive: true });
      other.onFolder?.(path);
    },
    removeDirectory: async (path) => rmSync(path, { recursive: true, force: true }),
    give: async () => undefined,
    async run(command, args, { cwd }) {
      if (command === 'mmdebstrap') {
        writeFileSync(args.find((arg) => arg.endsWith('/chroot.tar')) as string, '');
        return { exitCode: 0, wasKilled: false };
      }
      builtDir = cwd;
      writeFileSync(join(cwd, CHANGES), 'built\n');
      return { exitCode: 0, wasKilled: false };
    },
  };
  const builder = await openSbuildBuilder({
    state,
    layout,
    cacheDir,
    machine,
    runAs: undefined,
    unprivileged,
    webUrl: 'http://127.0.0.1:1',
    key: { fingerprint: '', publicKey: '' } as never,
    limits: {
      ftpIdleMs: 1,
      uploadMaxBytes: 1,
      buildMs: 60_000,
      chrootMs: 60_000,
      killAfterMs: 1_000,
      logMaxBytes: 2 ** 20,
    },
  });
  const outcome = await builder.build({
    build: { id: 1, archive, source: 'probe', version: '1.0', series, architecture } as Build,
    publication: { files: [{ name: DSC }] } as SourcePublication,
    report: () => undefined,
    signal: new AbortController().signal,
  });
  return { outcome, builtDir };
}

it('nothing is written where a link leads that another build has put into the folders of a build', async () => {
  const names = [DSC, 'chroot-session.sh', 'sbuild.conf', 'repository.asc'];
  const { outcome } = await build({
    onFolder(path) {
      for (const name of names) symlinkSync(victim, join(path, name));
    },
  });
  expect(outcome.state).toBe('Successfully built');
  expect(readFileSync(victim, 'utf8')).toBe('of root\n');
  expect(statSync(victim).mode & 0o777).toBe(0o600);
});

it('what a build has made is looked at where no other build can put a link in its place', async () => {
  const { outcome, builtDir } = await build({});
  rmSync(join(builtDir, CHANGES), { force: true });
  symlinkSync(victim, join(builtDir, CHANGES));
  const { builtDir: taken = '' } = outcome;
  expect(readdirSync(taken)).toEqual([CHANGES]);
  expect(readFileSync(join(taken, CHANGES), 'utf8')).toBe('built\n');
});
