import type { Sample } from './load.ts';
import type { OperationName } from './operations.ts';
import type { Size } from './seed.ts';

/** One target's samples of one operation, one for each round. */
export type Measured = {
  operation: OperationName;
  title: string;
  size: Size;
  samples: Sample[];
};
