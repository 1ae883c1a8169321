import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../../domain/errors.ts';

const ROOMS = ['activities', 'api', 'cli', 'dispatch', 'domain', 'main', 'models', 'workflows'];

it('each code that is documented is one that the code names where it fails', () => {
  const paths = ROOMS.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' }).map((path) => join(room, path)),
  );
  const texts = paths
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.generated.ts'))
    .filter((path) => path !== join('domain', 'errors.ts'))
    .map((path) => readFileSync(path, 'utf8'));
  const unnamed = Object.keys(ERRORS).filter((code) => {
    const word = new RegExp(`\\b${code}\\b`);
    return !texts.some((text) => word.test(text));
  });
  expect(unnamed).toEqual([]);
});
