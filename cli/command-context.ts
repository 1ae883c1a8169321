import type { Command } from 'commander';
import type { ExitCode } from './exit-code.ts';
import { createOutput, type Output } from './output/output.ts';
import { createApiClient, type ApiClient } from './server/api-client.ts';
import { readSettings, type Settings, type SettingsFlags } from './settings/settings.ts';
import type { CommandEnvironment } from './environment.ts';

/** The options that every command takes. */
type GlobalOptions = SettingsFlags & {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly columns?: readonly string[];
  readonly debug?: boolean;
  readonly color: boolean;
  readonly output?: 'table' | 'wide' | 'json';
};

/** What a command works with that needs no server. */
export type LocalContext = {
  readonly environment: CommandEnvironment;
  readonly globals: GlobalOptions;
  readonly out: Output;
};

/** What a command works with. */
export type CommandContext = LocalContext & {
  readonly settings: Settings;
  readonly api: ApiClient;
};

export type CommandOutcome = Promise<ExitCode | undefined>;

/** Turns what a command does into what Commander calls, and keeps what it comes to. */
export type Runner = {
  /** A command that calls the server. Arguments come first, then the command's own options. */
  remote: <A extends unknown[]>(
    run: (context: CommandContext, ...given: A) => CommandOutcome,
  ) => (...given: [...A, Command]) => Promise<void>;
  /** A command of this machine. */
  local: <A extends unknown[]>(
    run: (context: LocalContext, ...given: A) => CommandOutcome,
  ) => (...given: [...A, Command]) => Promise<void>;
};

/** Makes the runner of one call. */
export function createRunner(
  environment: CommandEnvironment,
  onExit: (code: ExitCode) => void,
): Runner {
  const prepare = (command: Command): LocalContext => {
    const globals = globalOptions(command);
    const out = createOutput(environment, {
      json: globals.json === true || globals.output === 'json',
      quiet: globals.quiet === true,
      wide: globals.output === 'wide',
      color: globals.color,
      columns: globals.columns,
    });
    return { environment, globals, out };
  };
  const runner = <A extends unknown[]>(
    run: (local: LocalContext, ...given: A) => CommandOutcome,
  ): ((...given: [...A, Command]) => Promise<void>) => {
    return async (...given) => {
      const command = given.at(-1) as Command;
      const code = await run(prepare(command), ...(given.slice(0, -1) as A));
      if (code !== undefined) onExit(code);
    };
  };
  return {
    local: runner,
    remote: (run) =>
      runner(async (local, ...given) => {
        const settings = await readSettings(environment, local.globals);
        const api = createApiClient(environment, settings, { notice: local.out.notice });
        return run({ ...local, settings, api }, ...given);
      }),
  };
}

/** The options of the whole program, wherever on the line they stood. */
function globalOptions(command: Command): GlobalOptions {
  let root = command;
  while (root.parent) root = root.parent;
  return root.opts<GlobalOptions>();
}
