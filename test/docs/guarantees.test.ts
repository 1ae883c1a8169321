import { readFile } from 'node:fs/promises';

const PROOF = /^- `(test\/[\w/-]+\.test\.tsx?)` › (.+)$/;

/** What a promise says that proves it: a file of tests, and the names that lead to one of them. */
function proofsOf(promise: string): { proof: string; file: string; names: string[] }[] {
  const wholeLines = promise.replaceAll(/\n {2,}(?=\S)/g, ' ').split('\n');
  return wholeLines
    .filter((line) => line.startsWith('- `test/'))
    .map((proof) => {
      const [, file = '', names = ''] = PROOF.exec(proof) ?? [];
      return { proof, file, names: names.split(' › ') };
    });
}

test('docs/guarantees.md proves every promise by tests that exist', async () => {
  const page = await readFile('docs/guarantees.md', 'utf8');
  const promises = page.split(/^## (?=\d)/m).slice(1);
  expect(promises).toHaveLength(8);
  for (const promise of promises) {
    const proofs = proofsOf(promise);
    expect(proofs.length).toBeGreaterThan(0);
    for (const { proof, file, names } of proofs) {
      expect(proof).toMatch(PROOF);
      const text = await readFile(file, 'utf8');
      expect({ proof, absent: names.filter((name) => !text.includes(name)) }).toEqual({
        proof,
        absent: [],
      });
    }
  }
});

test('a proof goes on where its line is wrapped', () => {
  const promise =
    '- `test/a/b.test.ts` › a build ›\n  is told of\n  again\n- `test/c.ts` › no test\n';
  expect(proofsOf(promise)).toEqual([
    {
      proof: '- `test/a/b.test.ts` › a build › is told of again',
      file: 'test/a/b.test.ts',
      names: ['a build', 'is told of again'],
    },
    { proof: '- `test/c.ts` › no test', file: '', names: [''] },
  ]);
});
