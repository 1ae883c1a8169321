import type { ActivityDependencies } from '../../activities/dependencies.ts';

/** How tests fetch sources: from this machine, with more room and time than what they do takes. */
export const TEST_SOURCES: Readonly<ActivityDependencies['sources']> = {
  rule: { hosts: ['127.0.0.1'], refusedPorts: [], storeUrl: 'http://127.0.0.1:1/' },
  maxBytes: 100 * 2 ** 20,
  idleTimeoutMs: 60_000,
  fileMs: 1_200_000,
  memoryBytes: 2 ** 30,
  mergesAtOnce: 4,
  gitDepth: 1_000,
};
