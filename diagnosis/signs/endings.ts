import { sign, type Sign } from '../sign.ts';

/** What ended the build from outside. */
export const ENDING_SIGNS: readonly Sign[] = [
  sign('build_killed', 'end', /^(?:E: )?Build killed with signal /),
  sign('build_killed', 'end', /^The build took longer than \d+ ms and was ended/),
];
