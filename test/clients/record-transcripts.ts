import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { replaceSection } from '../../scripts/marked-section.ts';
import { serveApi } from '../api/serve.ts';
import { startSharedStack, stopSharedStack } from '../support/stack/shared-stack.ts';

// Runs the life of a ticket by curl and by slumber, each against an API with a new database, and writes what they
// show into docs/api.md (`npm run docs:transcripts`).

const PAGE = 'docs/api.md';
const SHOWN_URL = 'http://127.0.0.1:8080';
const LIMIT_MS = 60_000;
const TRANSCRIPTS = [
  { section: 'curl transcript', program: 'sh', script: 'ticket_life.sh' },
  {
    section: 'slumber transcript',
    program: 'node_modules/.cache/python/bin/python',
    script: 'ticket_life_slumber.py',
  },
] as const;

try {
  await startSharedStack();
  let page = await readFile(PAGE, 'utf8');
  for (const { section, program, script } of TRANSCRIPTS) {
    const api = await serveApi();
    try {
      const { stdout } = await promisify(execFile)(program, [`test/clients/${script}`, api.url], {
        timeout: LIMIT_MS,
        maxBuffer: 10_000_000,
      });
      const shown = stdout.replaceAll(api.url, SHOWN_URL).trim();
      page = replaceSection(page, section, `\`\`\`text\n${shown}\n\`\`\``);
    } finally {
      await api.close();
    }
  }
  await writeFile(PAGE, page);
} finally {
  await stopSharedStack();
}
