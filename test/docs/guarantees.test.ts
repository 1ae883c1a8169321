import { readFile } from 'node:fs/promises';

const TEST = /^- `(test\/[\w/-]+\.test\.ts)` › (.+)$/gm;

test('docs/guarantees.md proves every promise by tests that exist', async () => {
  const page = await readFile('docs/guarantees.md', 'utf8');
  const promises = page.split(/^## (?=\d)/m).slice(1);
  expect(promises).toHaveLength(8);
  for (const promise of promises) {
    const proofs = [...promise.matchAll(TEST)];
    expect(proofs.length).toBeGreaterThan(0);
    for (const [proof, file = '', name = ''] of proofs)
      expect({ proof, isThere: (await readFile(file, 'utf8')).includes(name) }).toEqual({
        proof,
        isThere: true,
      });
  }
});
