import type { z } from 'zod';
import type { SCRIPT } from '../../stand-in/script/script.ts';

/** What is to become of a build, by the name of its source package: the stand-in's script goes by it. */
export type Fate =
  'built' | 'pair' | 'failed' | 'waiting' | 'slow' | 'rejected' | 'cancelled' | 'left';

/** How often each fate is drawn. */
export const FATE_WEIGHTS: Readonly<Record<Fate, number>> = {
  built: 30,
  pair: 12,
  failed: 15,
  waiting: 10,
  slow: 8,
  rejected: 5,
  cancelled: 13,
  left: 7,
};

/** The source packages of a request, by name. */
export function sourcesOf(fate: Fate): string[] {
  return fate === 'pair' ? ['chaos-one', 'chaos-other'] : [`chaos-${fate}`];
}

const building = (durationMs: number) => ({ state: 'Currently building', durationMs });
const done = [
  { state: 'Gathering build output' },
  { state: 'Uploading build' },
  { state: 'Successfully built' },
];

/** What the PPA does with each of them. A build that is to be cancelled ends in no other way. */
export const FATE_SCRIPT: z.input<typeof SCRIPT> = {
  sources: {
    'chaos-built': { builds: { '*': [building(1_500), ...done] } },
    'chaos-one': { builds: { '*': [building(1_000), ...done] } },
    'chaos-other': { acceptAfterMs: 1_000, builds: { '*': [building(2_000), ...done] } },
    'chaos-failed': {
      builds: {
        '*': [building(1_000), { state: 'Failed to build', log: 'probe.c:1: error: chaos\n' }],
      },
    },
    // Its second attempt comes when somebody asks the PPA for it.
    'chaos-waiting': {
      builds: {
        '*': {
          attempts: [
            [{ state: 'Dependency wait', dependencies: 'libchaos-dev' }],
            [building(1_000), ...done],
          ],
        },
      },
    },
    'chaos-slow': { acceptAfterMs: 2_000, builds: { '*': [building(8_000), ...done] } },
    'chaos-rejected': { rejected: 'Not today.' },
    'chaos-cancelled': { builds: { '*': [building(0)] } },
    'chaos-left': { builds: { '*': [building(0)] } },
  },
};
