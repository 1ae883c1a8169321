import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Each command that a page tells its reader to type, with the options that it gives. */
const told = readdirSync('web', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.tsx'))
  .flatMap((name) => [
    ...readFileSync(join('web', name), 'utf8').matchAll(/airline [a-z][^<`\n]*/g),
  ])
  .map(([text]) => ({ text, options: text.match(/--[a-z-]+/g) ?? [] }));

/** What the command's page says of each command. */
const sections = new Map(
  readFileSync('docs/cli.md', 'utf8')
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.split('\n', 1)[0]?.trim() ?? '', section]),
);

it('pages tell of commands', () => {
  expect(told.length).toBeGreaterThan(4);
});

it.each(told)('$text is a command with these options', ({ text, options }) => {
  const section = [...sections].find(([name]) => `${text} `.startsWith(`${name} `))?.[1];
  expect(section).toBeDefined();
  for (const option of options) expect(section).toContain(`\`${option}`);
});
