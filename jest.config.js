import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // docs/decisions/0002-test-runner.md: no compiler of jest's, no scope of jest's.
  transform: {},
  runtime: '<rootDir>/test/support/native/runtime.js',
  testEnvironment: '<rootDir>/test/support/native/environment.js',
  globalSetup: '<rootDir>/test/support/native/global-setup.js',
  globalTeardown: '<rootDir>/test/support/native/global-teardown.js',
  reporters: ['default', '<rootDir>/test/support/closing-line.js'],
  testSequencer: '<rootDir>/test/support/slow-files-first.js',
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testTimeout: 120_000,
  // Of one file, where it says so: they wait, and take no processor meanwhile.
  maxConcurrency: 40,
  // Many wait for timers and for other processes: more at once than there are cores, where jest would leave one idle.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Modules stay loaded, so a worker grows from file to file. With a limit, jest never runs tests in its own process.
  workerIdleMemoryLimit: '1GB',
};
