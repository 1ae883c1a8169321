import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from '../support/until.ts';

const execute = promisify(execFile);
const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url));
/** Not that of an installation that people use: its volumes are removed. */
const PROJECT = 'airline-check';
/** Removes all that this project has in Docker; a clone with its files and passwords may be gone. */
export const REMOVAL = `set -eo pipefail
own() { docker "$@" --quiet --filter label=com.docker.compose.project=${PROJECT}; }
own ps --all | xargs --no-run-if-empty docker rm --force --volumes
own network ls | xargs --no-run-if-empty docker network rm
own volume ls | xargs --no-run-if-empty docker volume rm`;
const COMMAND_MS = 1_200_000;
const HEALTHY_MS = 600_000;
const MAX_OUTPUT = 16 * 2 ** 20;

/** A container as `docker compose ps` tells of it. */
type Container = { Service: string; ID: string; State: string; Health: string; ExitCode: number };

/** A clone of the repository that Docker runs Airline from. */
export type Installation = ReturnType<typeof makeInstallation>;

/** Copies what git knows, under the umask 077, which is the most that the files of a clone can lack. */
export function makeInstallation() {
  const directory = mkdtempSync(join(tmpdir(), `${PROJECT}-`));
  execFileSync(
    'sh',
    [
      '-euc',
      'umask 077; cd "$1"; git ls-files -z --cached --others --exclude-standard |' +
        ' xargs -0 sh -c \'for f; do if [ -e "$f" ]; then printf "%s\\0" "$f"; fi; done\' sh |' +
        ' tar -c --null -T - | tar -x --no-same-permissions -C "$2"',
      'sh',
      PROJECT_DIR,
      directory,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const environmentFile = join(directory, '.env');

  /**
   * Runs commands as they stand on a page, in a shell as a person has it, which goes on after one that fails.
   *
   * @param input what a person would type
   * @returns standard output
   * @throws Error with all that they said
   */
  async function run(commands: string, input = ''): Promise<string> {
    try {
      const running = execute('bash', ['-c', commands], {
        cwd: directory,
        env: { ...process.env, COMPOSE_PROJECT_NAME: PROJECT },
        timeout: COMMAND_MS,
        maxBuffer: MAX_OUTPUT,
      });
      running.child.stdin?.end(input);
      return (await running).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string };
      throw new Error(`${commands}\n${stdout}${stderr}`.slice(-3_000), { cause: error });
    }
  }

  async function containers(): Promise<Container[]> {
    const lines = (await run('docker compose ps --all --format json')).trim().split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line) as Container);
  }

  return {
    directory,
    run,
    containers,
    write: (name: string, text: string, mode = 0o600) =>
      writeFileSync(join(directory, name), text, { mode }),
    read: (name: string) => readFileSync(join(directory, name), 'utf8'),
    /** Adds lines to `.env`; the last one of a name counts. */
    set: (variables: Readonly<Record<string, string>>) =>
      appendFileSync(
        environmentFile,
        Object.entries(variables)
          .map(([name, value]) => `${name}=${value}\n`)
          .join(''),
      ),
    variable: (name: string): string =>
      new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(environmentFile, 'utf8'))?.[1] ?? '',
    /** Waits until every service does what it is there for. @returns how many run and how many have ended with 0 */
    healthy: () =>
      until(
        'every service healthy',
        async () => {
          const all = await containers().catch(() => []);
          const running = all.filter(
            ({ State, Health }) => State === 'running' && Health === 'healthy',
          );
          const ended = all.filter(({ State, ExitCode }) => State === 'exited' && ExitCode === 0);
          const isAll = all.length > 0 && running.length + ended.length === all.length;
          return isAll && { running: running.length, ended: ended.length };
        },
        HEALTHY_MS,
      ),
    /**
     * `kill -9` of a container's first process, from the side of the host, and waits until Docker has started it again.
     */
    async kill({ ID }: Container): Promise<void> {
      const inspect = (what: string) => run(`docker inspect --format '{{.State.${what}}}' ${ID}`);
      const [pid, startedAt] = [await inspect('Pid'), await inspect('StartedAt')];
      // The shell's own `kill`: the image has no procps.
      await run(`docker run --rm --pid=host debian:bookworm-slim sh -c 'kill -9 ${pid.trim()}'`);
      await until('another start', async () => (await inspect('StartedAt')) !== startedAt);
    },
    /** Removes what a check has left that was stopped, or that kept it. */
    removeEarlier: () => run(REMOVAL),
    /** Removes containers and volumes, and nothing of the clone. */
    remove: () => run('docker compose --profile "*" down --volumes --remove-orphans'),
    async destroy(): Promise<void> {
      await run('docker compose --profile "*" down --volumes --remove-orphans --rmi local').catch(
        (error: Error) => console.error(`not all is removed: ${error.message}`),
      );
      await rm(directory, { recursive: true, force: true });
    },
  };
}
