import { Option, type Command } from 'commander';
import type { Ppapool } from '../../api/openapi/contract.generated.ts';
import { POOL_PPA_STATES, type PoolPpaState } from '../../domain/landings/pool-ppa.ts';
import { givenPpa } from '../builds/given-ppa.ts';
import type { CommandContext, Runner } from '../command-context.ts';
import { parseId } from '../definition/argument-parsers.ts';
import { describeCommand } from '../definition/command-help.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../definition/paging.ts';
import type { Output } from '../output/output.ts';
import type { Column } from '../output/table.ts';
import { relativeTime } from '../output/time-format.ts';
import type { Page } from '../server/api-client.ts';

const PATH = '/api/v1/ppapool/';
const OUTPUT = { json: 'the PPA', quiet: 'its id' };
const NEEDS_ADMIN = 'It needs a token with the scope admin.';

/** `airline ppapool`: the PPAs that landings take turns in. */
export function addPpaPoolCommands(program: Command, runner: Runner): void {
  const pool = program
    .command('ppapool')
    .description('The pool of PPAs: landings that name no PPA take turns in them.');
  addListCommand(pool, runner);

  describeCommand(
    pool
      .command('add')
      .description('Add a PPA to the pool, or bring back one that was retired.')
      .argument('<ppa>', 'ppa:owner/name, ~owner/distribution/name, owner/name or its address')
      .option('--archive <distribution>', 'its distribution, where it names none')
      .action(
        runner.remote(({ api, out }, ppa: string, { archive }: { archive?: string }) => {
          givenPpa(ppa, archive);
          return tell(
            out,
            api.write<Ppapool>('POST', PATH, { ppa, archive }),
            'is being checked; it is free after that',
          );
        }),
      ),
    {
      examples: [
        ["airline ppapool add '~team/ubuntu/silo-1'", 'landings may have it once it is free'],
      ],
      notes: [
        NEEDS_ADMIN,
        'It has to be empty. Airline deletes what landings have uploaded to it, and nothing else.',
      ],
      ...OUTPUT,
    },
  );

  describeCommand(
    pool
      .command('clean')
      .description('Look at a PPA and empty it again, such as one that is quarantined.')
      .argument('<id>', 'its id', parseId('ppapool'))
      .action(
        runner.remote(({ api, out }, id: number) =>
          tell(out, api.write<Ppapool>('POST', `${PATH}${id}/clean/`), 'is cleaned'),
        ),
      ),
    {
      examples: [['airline ppapool clean 3', 'what was wrong with it is settled']],
      notes: [NEEDS_ADMIN, 'First delete by hand what no landing has uploaded.'],
      ...OUTPUT,
    },
  );

  describeCommand(
    pool
      .command('retire')
      .description('Take a PPA out of the pool. No landing gets it any more.')
      .argument('<id>', 'its id', parseId('ppapool'))
      .requiredOption('--reason <text>', 'why; it stays on the PPA')
      .action(
        runner.remote(({ api, out }, id: number, { reason }: { reason: string }) =>
          tell(out, api.write<Ppapool>('POST', `${PATH}${id}/retire/`, { reason }), 'is retired'),
        ),
      ),
    {
      examples: [["airline ppapool retire 3 --reason 'its owner has left'", 'for good']],
      notes: [NEEDS_ADMIN, 'Only one that is free or quarantined can be retired.'],
      ...OUTPUT,
    },
  );
}

function addListCommand(pool: Command, runner: Runner): void {
  type ListOptions = PagingOptions & { state?: PoolPpaState };
  describeCommand(
    withPaging(
      pool
        .command('list')
        .description('List the PPAs of the pool, and who has them.')
        .addOption(
          new Option('--state <state>', 'only those in this state').choices(POOL_PPA_STATES),
        ),
    ).action(
      runner.remote(async ({ api, out }, { limit, offset, state }: ListOptions) => {
        const query = { order_by: 'id', limit, offset, state };
        const page = await api.get<Page<Ppapool>>(PATH, query);
        await showPage(out, page, columns(out), 'The pool has no such PPA.');
        return undefined;
      }),
    ),
    {
      examples: [
        ['airline ppapool list', 'which are free, and which landing has which'],
        ['airline ppapool list --state quarantined', 'those that wait for a person'],
      ],
      ...PAGE_OUTPUT,
    },
  );
}

function columns({ now }: Output): Column<Ppapool>[] {
  return [
    { head: 'ID', cell: ({ id }) => id },
    { head: 'PPA', cell: ({ ppa }) => ppa, isFlexible: true },
    {
      head: 'STATE',
      cell: ({ state }) => state,
      tone: ({ state }) => (state === 'quarantined' ? 'bad' : 'plain'),
    },
    { head: 'SINCE', cell: ({ state_since: since }) => relativeTime(since, now()) },
    { head: 'LANDING', cell: ({ landing_id: landing }) => landing },
    { head: 'WHY', cell: ({ reason }) => reason, isFlexible: true },
  ];
}

async function tell(
  out: CommandContext['out'],
  answer: Promise<Ppapool>,
  becomes: string,
): Promise<undefined> {
  const shown = await answer;
  const human = () => `${shown.ppa} (${shown.id}) ${becomes}.`;
  await out.show({ json: shown, quiet: shown.id, human });
}
