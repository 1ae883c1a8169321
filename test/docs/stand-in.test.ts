import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { SCRIPT } from '../../stand-in/script/script.ts';

/** The names of all fields in a JSON Schema, at whatever depth. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => [
    ...(key === 'properties' ? Object.keys(value as object) : []),
    ...fieldsOf(value),
  ]);
}

describe('docs/stand-in.md', () => {
  const parts = z.toJSONSchema(SCRIPT, { io: 'input' }).properties ?? {};

  it.each(Object.entries(parts))('names each field of `%s` of a script', async (part, schema) => {
    const page = await readFile('docs/stand-in.md', 'utf8');
    const [, text = ''] = page.split(`\n**\`${part}\`**`);
    const [own = ''] = text.split(/\n\*\*`/);
    expect(own).not.toBe('');
    const named = new Set([...own.matchAll(/[`"](\w+)/g)].map(([, name]) => name));
    expect(fieldsOf(schema).filter((field) => !named.has(field))).toEqual([]);
  });
});
