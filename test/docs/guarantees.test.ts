import { readFile } from 'node:fs/promises';

const TEST = /^- `(test\/[\w/-]+\.test\.ts)` › (.+)$/gm;

test('docs/guarantees.md proves every promise by tests that exist', async () => {
  const page = await readFile('docs/guarantees.md', 'utf8');
  const promises = page.split(/^## (?=\d)/m).slice(1);
  expect(promises).toHaveLength(8);
  for (const promise of promises) {
    const proofs = [...promise.matchAll(TEST)];
    expect(proofs.length).toBeGreaterThan(0);
    for (const [proof, file = '', names = ''] of proofs) {
      const text = await readFile(file, 'utf8');
      const isThere = names.split(/ ›(?: |$)/).every((name) => text.includes(name));
      expect({ proof, isThere }).toEqual({ proof, isThere: true });
    }
  }
});
