import { Option, type Command } from 'commander';
import type { Subticketartifact, Ticketartifact } from '../../api/openapi/contract.generated.ts';
import {
  ARTIFACT_IMAGE_KINDS,
  SUBTICKET_ARTIFACT_TYPES,
  TICKET_ARTIFACT_TYPES,
} from '../../domain/tickets/ticket.ts';
import { fileNameOfUrl } from '../../domain/packages/source-file.ts';
import { printableLine } from '../../domain/text/printable.ts';
import { usageError } from '../command-error.ts';
import { describeCommand } from '../definition/command-help.ts';
import type { Runner } from '../command-context.ts';
import { parseId } from '../definition/argument-parsers.ts';

type AddOptions = {
  ticket?: number;
  subticket?: number;
  type: string;
  name?: string;
  image?: string;
};

const TYPES = [...new Set([...SUBTICKET_ARTIFACT_TYPES, ...TICKET_ARTIFACT_TYPES])];

/** `airline artifact`: files that belong to tickets and subtickets, by their addresses. */
export function addArtifactCommands(program: Command, runner: Runner): void {
  const artifact = program
    .command('artifact')
    .description('Files that belong to tickets and subtickets, by their addresses.');
  describeCommand(
    artifact
      .command('add')
      .description('Add the address of a file to a ticket or a subticket.')
      .argument('<url>', 'where the file is')
      .option('--ticket <id>', 'to this ticket', parseId('ticket'))
      .option('--subticket <id>', 'or to this subticket', parseId('subticket'))
      .addOption(
        new Option('--type <type>', 'what kind of file it is').choices(TYPES).makeOptionMandatory(),
      )
      .option('--name <name>', 'what it is called (default: the name in the address)')
      .addOption(
        new Option('--image <kind>', 'of an IMAGE: which one it is').choices(
          ARTIFACT_IMAGE_KINDS.filter((kind) => kind !== ''),
        ),
      )
      .action(
        runner.remote(async ({ api, out }, url: string, options: AddOptions) => {
          const { ticket, subticket, type, image } = options;
          if ((ticket === undefined) === (subticket === undefined))
            throw usageError('Give either --ticket or --subticket.');
          const kind = ticket === undefined ? 'subticket' : 'ticket';
          const added = await api.write<Ticketartifact | Subticketartifact>(
            'POST',
            `/api/v1/${kind}artifact/`,
            {
              name: options.name ?? ((URL.canParse(url) && fileNameOfUrl(url)) || url),
              reference: url,
              type,
              [kind]: `/api/v1/${kind}/${ticket ?? subticket ?? ''}/`,
              ...(image === undefined ? {} : { image }),
            },
          );
          await out.show({
            json: added,
            quiet: added.id,
            human: () =>
              printableLine(
                `Artifact ${added.id} of ${kind} ${ticket ?? subticket ?? ''}: ${added.name}`,
              ),
          });
          return undefined;
        }),
      ),
    {
      examples: [
        [
          'airline artifact add https://store.example/results.html --ticket 7 --type RESULTS',
          'results of tests',
        ],
      ],
      json: 'the artifact',
      quiet: 'its id',
    },
  );
}
