const { resolve } = require('node:path');

/** What jest takes as `--filter`, in CommonJS: of the test files that were asked for, those that are unit tests. */
module.exports = async (paths) => {
  await import('../native/typescript.js');
  const { unitTests } = await import('./unit-tests.ts');
  const units = new Set((await unitTests()).map((path) => resolve(path)));
  return { filtered: paths.filter((path) => units.has(path)) };
};
