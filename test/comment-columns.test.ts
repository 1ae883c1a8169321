import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const MAX_COLUMNS = 120;
const FOLDERS = readdirSync('.', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$|dist$)/.test(entry.name))
  .map(({ name }) => name);

it('no comment is wider than a terminal', () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { encoding: 'utf8', recursive: true })
      .filter((path) => /\.(?:ts|tsx|mjs|js)$/.test(path) && !/generated|node_modules/.test(path))
      .map((path) => join(folder, path)),
  );
  expect(files.length).toBeGreaterThan(1_000);
  const wide = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        line.length > MAX_COLUMNS && /^\s*(?:\/?\*|\/\/)/.test(line)
          ? [`${file}:${index + 1}`]
          : [],
      ),
  );
  expect(wide).toEqual([]);
});
