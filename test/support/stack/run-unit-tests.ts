import { spawnSync } from 'node:child_process';
import { unitTests } from './unit-tests.ts';

// `npm run test:unit`: runs the tests that need no server and start no process. Its arguments are jest's.
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/jest/bin/jest.js',
    ...process.argv.slice(2),
    '--runTestsByPath',
    ...(await unitTests()),
  ],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
