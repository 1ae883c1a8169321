import { z } from 'zod';
import { phaseWords, type BuildPhase } from '../../domain/builds/build-phase.ts';
import { stepName, stepToShow, type StepValue } from '../../domain/tickets/ticket.ts';
import type { Database } from '../../models/database.ts';
import { findPackages, findPpas, findVersions } from '../../models/service/search.ts';
import { numberIn, ticketSearch } from '../../models/tickets/ticket-search.ts';
import { selectPage, selectRow } from '../../models/sql/read-rows.ts';
import { withQuery } from '../http/operation.ts';
import { answerRead } from '../rest/answers.ts';
import { STORABLE } from '../rest/field-values.ts';

const MAX_OF_A_KIND = 6;
const MAX_SEARCHED = 100;
const INVALID_Q = `Invalid q: Enter 1 to ${MAX_SEARCHED} characters.`;
/** A version begins with a digit; what is shorter begins too many. */
const VERSION = /^\d[\w.+:~-]+$/;
const BUILD_NUMBER = /^(?:build\s*)?#?(\d{1,9})$/i;

const foundSchema = z
  .object({
    kind: z
      .enum(['ticket', 'build', 'package', 'version', 'ppa'])
      .meta({ description: 'What it is.' }),
    id: z
      .int()
      .nullable()
      .meta({ description: 'The id of a ticket or a build; of a version, that of a build of it.' }),
    name: z
      .string()
      .meta({ description: 'The name of a package or a PPA; of a version, its package.' }),
    detail: z.string().meta({ description: 'What tells it from others of its kind.' }),
  })
  .meta({ title: 'found' });
type Found = z.infer<typeof foundSchema>;

/** One search for everything that has a page. */
export const searchOperation = withQuery({
  method: 'get',
  path: '/api/v1/search/',
  summary: 'Find tickets, builds, packages, versions and PPAs',
  scope: 'read',
  query: z.object({
    q: z
      .string({ error: INVALID_Q })
      .trim()
      .min(1, INVALID_Q)
      .max(MAX_SEARCHED, INVALID_Q)
      .regex(STORABLE, INVALID_Q)
      .meta({
        description:
          'A number of a ticket (441 or #441) or of a build (build 62), words of a ticket, a part of the name of a package or a PPA, or how a version begins.',
      }),
  }),
  answers: {
    200: {
      description: `What was found, at most ${MAX_OF_A_KIND} of a kind.`,
      schema: z.object({ objects: z.array(foundSchema).meta({ description: 'What was found.' }) }),
    },
  },
  errors: ['invalid_field'],
  handle: async (ctx, { database }, { q }) => {
    const { sequelize } = database;
    const [tickets, builds, packages, versions, ppas] = await Promise.all([
      foundTickets(database, q),
      foundBuild(database, q),
      findPackages(sequelize, q, MAX_OF_A_KIND),
      VERSION.test(q) ? findVersions(sequelize, q, MAX_OF_A_KIND) : [],
      findPpas(sequelize, q, MAX_OF_A_KIND),
    ]);
    const objects: Found[] = [
      ...tickets,
      ...builds,
      ...packages.map((name): Found => ({ kind: 'package', id: null, name, detail: '' })),
      ...versions.map((one): Found => ({
        kind: 'version',
        id: one.build_id,
        name: one.package,
        detail: one.version,
      })),
      ...ppas.map((name): Found => ({ kind: 'ppa', id: null, name, detail: '' })),
    ];
    answerRead(ctx, { objects });
  },
});

async function foundTickets({ Ticket }: Database, text: string): Promise<Found[]> {
  const words = text.split(/\s+/);
  const asked = words.length === 1 ? numberIn(text) : undefined;
  const [named, { rows }] = await Promise.all([
    asked === undefined ? undefined : selectRow(Ticket, asked),
    selectPage(Ticket, {
      conditions: ticketSearch(words),
      order: [['id', 'DESC']],
      limit: MAX_OF_A_KIND,
      offset: 0,
    }),
  ]);
  // Newer ones may have its number in their texts, and be enough.
  const found = named ? [named, ...rows.filter(({ id }) => id !== named['id'])] : rows;
  return found.slice(0, MAX_OF_A_KIND).map((row) => ({
    kind: 'ticket',
    id: row['id'] as number,
    name: row['title'] as string,
    detail: stepName(
      stepToShow({
        current_workflow_step: String(row['currentWorkflowStep']) as StepValue,
        status: String(row['status']),
      }),
    ),
  }));
}

async function foundBuild({ Build }: Database, text: string): Promise<Found[]> {
  const id = BUILD_NUMBER.exec(text)?.[1];
  const row = id === undefined ? undefined : await selectRow(Build, Number(id));
  if (!row) return [];
  const detail = phaseWords(row['phase'] as BuildPhase);
  return [
    { kind: 'build', id: Number(id), name: (row['packageNames'] as string[]).join(', '), detail },
  ];
}
