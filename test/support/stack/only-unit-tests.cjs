const { relative, resolve } = require('node:path');

/** What jest takes as `--filter`, in CommonJS: of the test files that were asked for, those that are unit tests. */
module.exports = async (paths) => {
  await import('../native/typescript.js');
  const { unitTests } = await import('./unit-tests.ts');
  const units = await unitTests(paths.map((path) => relative('.', path)));
  return { filtered: units.map((path) => resolve(path)) };
};
