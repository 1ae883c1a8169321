import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { foreignEnvironment } from '../../main/config/config.ts';
import { photograph } from './photograph.ts';
import { readTutorial, writeTutorial, type Part } from './page.ts';
import { openShell, type Shell } from './shell.ts';

// Does what the tutorials say, each in its order, and puts what the commands print and what the pages look like into
// them (`npm run docs:screenshots [docs/tutorial.md]`).

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const TUTORIALS = ['docs/tutorial.md', 'docs/landing-tutorial.md'];
const SERVER = 'http://127.0.0.1:8080';
const READY = 'Ctrl-C stops it.';
const COMMAND_LIMIT_MS = 15 * 60_000;
const WIDTH = 120;

const told = process.argv.slice(2);
for (const path of told.length > 0 ? told : TUTORIALS) await record(path);

async function record(path: string): Promise<void> {
  const page = join(PROJECT, path);
  const text = await readFile(page, 'utf8');
  const stateDirectory = /AIRLINE_STATE_DIR=(\S+)/.exec(text)?.[1] ?? '';
  if (existsSync(stateDirectory))
    throw new Error(`${stateDirectory} is there from an earlier run: remove it, and begin again.`);
  const home = await mkdtemp(join(tmpdir(), 'airline-tutorial-home-'));
  const shells: Shell[] = [];
  const open = () => {
    const shell = openShell({
      directory: PROJECT,
      environment: { ...foreignEnvironment(), HOME: home, COLUMNS: String(WIDTH), NO_COLOR: '1' },
      limitMs: COMMAND_LIMIT_MS,
    });
    shells.push(shell);
    return shell;
  };
  try {
    const parts = readTutorial(text);
    const outputs = new Map<Part, string[]>();
    const reader = open();
    for (const part of parts) {
      if (part.kind === 'transcript') {
        const { commands, isLasting } = part;
        const shell = isLasting ? open() : reader;
        outputs.set(part, await perform(commands, { shell, isLasting, home }));
      }
      if (part.kind === 'picture') {
        const file = join(dirname(page), part.file);
        await mkdir(dirname(file), { recursive: true });
        await photograph({ url: `${SERVER}${part.address}`, once: part.once, file });
        console.log(`picture: ${part.file}`);
      }
    }
    await writeFile(
      page,
      await format(writeTutorial(parts, outputs), { parser: 'markdown', printWidth: WIDTH }),
    );
    console.log(`written: ${path}`);
  } finally {
    for (const shell of shells.toReversed()) await shell.end();
    await rm(home, { recursive: true, force: true });
  }
}

async function perform(
  commands: readonly string[],
  { shell, isLasting, home }: { shell: Shell; isLasting: boolean; home: string },
): Promise<string[]> {
  const printed: string[] = [];
  for (const command of commands) {
    console.log(`$ ${command}`);
    const isLast = command === commands.at(-1);
    const output = await (isLasting && isLast
      ? shell.runUntil(command, READY)
      : shell.run(command));
    const shown = output
      .replaceAll(home, '/home/ada')
      .replaceAll(PROJECT.replace(/\/$/, ''), '~/airline');
    process.stdout.write(shown);
    printed.push(shown);
  }
  return printed;
}
