import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Exit code of a call that is wrong. 1 is what a command ends with that was called rightly and has found a fault. */
const WRONG_CALL = 2;

/**
 * Reads the command line of this process. `--help` prints the usage to standard output and ends the process with 0; a
 * call that the options do not allow ends it as `refuseCall` does.
 *
 * @param usage what the command is for and how it is called
 * @param config as that of `parseArgs` of Node, without `--help`
 * @returns what `parseArgs` makes of it
 */
export function readCommandLine<Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  const read = parse(usage, config);
  if (read.values['help'] === true) {
    console.log(usage);
    process.exit(0);
  }
  return read as ReturnType<typeof parseArgs<Config>>;
}

/**
 * Ends this process with 2, for a call that is wrong.
 *
 * @param why what is wrong with it, before the usage
 */
export function refuseCall(usage: string, why?: string): never {
  console.error(why === undefined ? usage : `${why}\n\n${usage}`);
  process.exit(WRONG_CALL);
}

function parse(usage: string, config: ParseArgsConfig) {
  try {
    return parseArgs({ ...config, options: { ...config.options, help: { type: 'boolean' } } });
  } catch (error) {
    refuseCall(usage, (error as Error).message);
  }
}
