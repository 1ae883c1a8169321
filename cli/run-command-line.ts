import { CommanderError, type Command } from 'commander';
import { usageError } from './command-error.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { createRunner } from './command-context.ts';
import { DEFAULT_COLUMNS } from './output/terminal-width.ts';
import { createRootCommand } from './root-command.ts';
import { reportError } from './report-error.ts';
import type { CommandEnvironment } from './environment.ts';
import { sentence } from '../domain/text/sentence.ts';

/** Runs one call of the command in its surroundings. @returns what to end with; nothing is thrown */
export async function runCommandLine(environment: CommandEnvironment): Promise<ExitCode> {
  const { args, stdout, stderr } = environment;
  let code: ExitCode = EXIT.done;
  const program = createRootCommand(
    environment.version,
    createRunner(environment, (given) => (code = given)),
  );
  capture(program, environment);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && isHelp(error))
      return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    return reportError(
      environment,
      error instanceof CommanderError ? wrongCall(error, program, args) : error,
      optionsIn(args),
    );
  }

  function capture(command: Command, within: CommandEnvironment): void {
    command.exitOverride().configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // What is wrong with a call is reported as every other error.
      outputError: () => undefined,
      getOutHelpWidth: () => within.stdout.columns || DEFAULT_COLUMNS,
      getErrHelpWidth: () => within.stderr.columns || DEFAULT_COLUMNS,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
    for (const child of command.commands) capture(child, within);
  }
}

function isHelp({ code }: CommanderError): boolean {
  return (
    code === 'commander.help' || code === 'commander.helpDisplayed' || code === 'commander.version'
  );
}

function wrongCall(error: CommanderError, program: Command, args: readonly string[]) {
  const [first = '', ...more] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = more.join(' ').replace(/^\(|\)$/g, '');
  const plain = first.replace(
    /^command-argument value '(.*)' is invalid for argument '(.*?)'/,
    "'$1' is not valid for <$2>",
  );
  const message = plain.charAt(0).toUpperCase() + plain.slice(1);
  return usageError(
    sentence(message),
    [suggestion, `\`${namedIn(program, args)} --help\` shows how it is used.`]
      .filter(Boolean)
      .join(' '),
  );
}

/** The command that a call names, as far as there is one. */
function namedIn(program: Command, args: readonly string[]): string {
  let command = program;
  const names = [program.name()];
  for (const arg of args) {
    const child = command.commands.find((one) => one.name() === arg || one.aliases().includes(arg));
    if (!child) continue;
    command = child;
    names.push(child.name());
  }
  return names.join(' ');
}

/** How to report an error, which may have come before the options were read. */
export function optionsIn(args: readonly string[]) {
  const given = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length);
  const isJson =
    // Short options may stand in one word, with the value of the last: -qojson.
    given.some((arg) => /^(?:--json|--output=json|-[a-zA-Z]*ojson)$/.test(arg)) ||
    given.some(
      (arg, at) => arg === 'json' && /^(?:--output|-[a-zA-Z]*o)$/.test(given[at - 1] ?? ''),
    );
  return {
    json: isJson,
    debug: given.includes('--debug'),
    color: !given.includes('--no-color'),
  };
}
