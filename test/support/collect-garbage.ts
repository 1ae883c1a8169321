import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Has the process collect its garbage now. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
