import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const MAX_CHARACTERS = 72;
/** Commits that were written before have longer ones, and stay as they are. */
const SINCE = '2026-11-27';

it(`no subject of a commit has more than ${MAX_CHARACTERS} characters`, async () => {
  // A shallow clone has a part of the history, an archive of the sources none, and some machines have no git.
  const history = run('git', ['--git-dir=.git', 'log', '--no-merges', '--format=%as %s'], {
    maxBuffer: 2 ** 26,
  });
  const { stdout } = await history.catch(() => ({ stdout: '' }));
  const tooLong = stdout.split('\n').flatMap((line) => {
    const [, day = '', subject = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
    return day >= SINCE && subject.length > MAX_CHARACTERS ? [subject] : [];
  });
  expect(tooLong).toEqual([]);
});
