import type { Ppa } from '../../domain/packages/ppa.ts';

/** Where packages are uploaded to. */
export type Target = { ppa: Ppa; series: string };
