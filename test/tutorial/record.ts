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

// Does what docs/tutorial.md says, in its order, and puts what the commands print and what the pages look like into it
// (`npm run docs:screenshots`).

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(PROJECT, 'docs/tutorial.md');
const SERVER = 'http://127.0.0.1:8080';
const READY = 'Ctrl-C stops it.';
const COMMAND_LIMIT_MS = 15 * 60_000;
const WIDTH = 120;

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
  const page = await readFile(PAGE, 'utf8');
  const stateDirectory = /AIRLINE_STATE_DIR=(\S+)/.exec(page)?.[1] ?? '';
  if (existsSync(stateDirectory))
    throw new Error(`${stateDirectory} is there from an earlier run: remove it, and begin again.`);
  const parts = readTutorial(page);
  const outputs = new Map<Part, string[]>();
  const reader = open();
  for (const part of parts) {
    if (part.kind === 'transcript')
      outputs.set(
        part,
        await perform(part.commands, part.isLasting ? open() : reader, part.isLasting),
      );
    if (part.kind === 'picture') {
      const file = join(dirname(PAGE), part.file);
      await mkdir(dirname(file), { recursive: true });
      await photograph({ url: `${SERVER}${part.address}`, once: part.once, file });
      console.log(`picture: ${part.file}`);
    }
  }
  await writeFile(
    PAGE,
    await format(writeTutorial(parts, outputs), { parser: 'markdown', printWidth: WIDTH }),
  );
  console.log('written: docs/tutorial.md');
} finally {
  for (const shell of shells.toReversed()) await shell.end();
  await rm(home, { recursive: true, force: true });
}

async function perform(
  commands: readonly string[],
  shell: Shell,
  isLasting: boolean,
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
