import { Command, CommanderError } from 'commander';
import { printable } from '../domain/text/printable.ts';

const WRONG_CALL = 2;

/** A command for administrators, named as it is called. A wrong call gets its help. */
export function createCommand(name: string): Command {
  return new Command(name).exitOverride().showHelpAfterError();
}

/**
 * Does what the command line of this process asks for. It ends with 2 where the call is wrong.
 *
 * @param failed exit code where it cannot be done
 * @param explain what went wrong, for people; undefined where nobody has foreseen it
 */
export async function runCommand(
  command: Command,
  { failed, explain }: { failed: number; explain: (error: unknown) => string | undefined },
): Promise<void> {
  try {
    await command.parseAsync();
  } catch (error) {
    // Commander has said what is wrong, or has printed the help.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : WRONG_CALL;
    else {
      const known = explain(error);
      console.error(known === undefined ? error : printable(known));
      process.exitCode = failed;
    }
  }
}
