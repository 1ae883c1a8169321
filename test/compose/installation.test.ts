import { temporaryDirectory } from '../support/temporary-directory.ts';
import { REMOVAL } from './installation.ts';
import { runWithStub } from './run-with-stub.ts';

it('removes what an earlier check has left, and asks for nothing of another project', async () => {
  const label = '--filter label=com.docker.compose.project=airline-check';
  const docker = {
    name: 'docker',
    script: `case "$*" in
      'ps --all --quiet ${label}') printf 'c1\\nc2\\n' ;;
      'volume ls --quiet ${label}') echo v1 ;;
    esac`,
  };
  expect(await runWithStub(temporaryDirectory(), REMOVAL, docker)).toEqual({
    hasSucceeded: true,
    calls: [
      `ps --all --quiet ${label}`,
      'rm --force --volumes c1 c2',
      `network ls --quiet ${label}`,
      `volume ls --quiet ${label}`,
      'volume rm v1',
    ],
    fault: '',
  });
});
