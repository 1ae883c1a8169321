import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '\\.ts$': '@swc/jest' },
  globalSetup: '<rootDir>/test/support/stack/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/stack/global-teardown.ts',
  reporters: ['default', '<rootDir>/test/support/closing-line.js'],
  testSequencer: '<rootDir>/test/support/slow-files-first.js',
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testTimeout: 120_000,
  // Of one file, where it says so: they wait, and take no processor meanwhile.
  maxConcurrency: 40,
  // Many wait for timers and for other processes: more at once than there are cores, where jest would leave one idle.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
};
