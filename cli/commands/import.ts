import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { BinarypackageImportCounts } from '../../api/openapi/contract.generated.ts';
import { usageError } from '../command-error.ts';
import { describeCommand } from '../definition/command-help.ts';
import type { Runner } from '../command-context.ts';

/** `airline import`: project data from files. */
export function addImportCommands(program: Command, runner: Runner): void {
  const imports = program.command('import').description('Import project data.');
  describeCommand(
    imports
      .command('binary-packages')
      .description(
        'Add and change binary packages, all or nothing. A second import changes nothing.',
      )
      .argument(
        '<file>',
        'JSON: a list of {"name", "sourcepackage", "version"}; - for standard input',
      )
      .action(
        runner.remote(async ({ api, out, environment }, file: string) => {
          const text = file === '-' ? await readAll(environment.stdin) : await readText(file);
          assertList(text, file);
          const counts = await api.write<BinarypackageImportCounts>(
            'POST',
            '/api/v1/binarypackage/import/',
            undefined,
            { text },
          );
          await out.show({
            json: counts,
            human: () =>
              `${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged`,
          });
          return undefined;
        }),
      ),
    {
      examples: [
        ['airline import binary-packages packages.json', 'from a file'],
        ['export-packages | airline import binary-packages -', 'from a program'],
      ],
      json: '{"created", "updated", "unchanged"}',
    },
  );
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageError(
      error.code === 'ENOENT' ? `There is no file ${file}.` : `${file}: ${error.message}`,
    );
  });
}

function assertList(text: string, file: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`${file} is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(value))
    throw usageError(
      `${file} is not a list.`,
      'It is a list of {"name", "sourcepackage", "version"}.',
    );
}
