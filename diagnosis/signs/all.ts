import { APT_SIGNS } from './apt.ts';
import { COMPILER_SIGNS } from './compiler.ts';
import { CONFIGURE_SIGNS } from './configure.ts';
import { DEBHELPER_SIGNS } from './debhelper.ts';
import { ENDING_SIGNS } from './endings.ts';
import { MACHINE_SIGNS } from './machine.ts';
import { MAKE_SIGNS } from './make.ts';
import { MISSING_SIGNS } from './missing.ts';
import { SOURCE_SIGNS } from './source.ts';
import { TEST_SIGNS } from './tests.ts';
import type { Sign } from '../sign.ts';

/** All signs in the order in which they are tried: a line says what the first that fits it says. */
export const SIGNS: readonly Sign[] = [
  ...ENDING_SIGNS,
  ...MACHINE_SIGNS,
  ...APT_SIGNS,
  ...SOURCE_SIGNS,
  ...DEBHELPER_SIGNS,
  ...CONFIGURE_SIGNS,
  ...MISSING_SIGNS,
  ...TEST_SIGNS,
  ...COMPILER_SIGNS,
  ...MAKE_SIGNS,
];
