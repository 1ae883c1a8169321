import { z } from 'zod';
import type { Failure } from '../../domain/builds/failure.ts';
import type { ArchitectureBuild } from '../../domain/builds/progress.ts';
import { summaryOf } from '../rest/declare-resource.ts';
import type { Row } from '../../models/sql/query.ts';
import { build } from './build.ts';
import { failureSchema } from './progress-schemas.ts';

const count = (description: string) => z.int().meta({ description });

/** What a list shows of a build: without its sources, its logs and the state of each architecture. */
export const buildSummary = summaryOf(build, {
  name: 'buildsummary',
  summary: 'A build request in short, for lists.',
  fields: [
    'id',
    'ticket',
    'ticket_id',
    'landing',
    'packages',
    'series',
    'ppa',
    'archive',
    'state',
    'phase',
    'phase_since',
    'waiting',
    'attempt',
    'requested_at',
    'requested_by',
    'dispatched_at',
    'cancel_requested_at',
    'finished_at',
    'created_at',
    'updated_at',
  ],
  derived: {
    failure: {
      kind: 'json',
      schema: failureSchema
        .pick({ class: true, retryable: true, message: true })
        .meta({ title: 'failure_summary' })
        .nullable(),
      help: 'Why it failed, in short.',
      of: ({ failure }) => shortOf(failure as Failure | null),
    },
    versions: {
      kind: 'json',
      schema: z.array(z.string()),
      help: 'Its source packages with their versions, as far as the PPA shows them.',
      of: (row) => [...new Set(architecturesOf(row).map((one) => `${one.package} ${one.version}`))],
    },
    architectures: {
      kind: 'json',
      schema: z
        .object({
          total: count('All.'),
          completed: count('Those that are built.'),
          failed: count('Those that failed.'),
        })
        .meta({ title: 'architecture_counts' }),
      help: 'How many builds of one package on one architecture it has, and how they are.',
      of: (row) => {
        const states = architecturesOf(row).map(({ state }) => state);
        return {
          total: states.length,
          completed: states.filter((state) => state === 'completed').length,
          failed: states.filter((state) => state === 'failed').length,
        };
      },
    },
  },
});

function shortOf(failure: Failure | null) {
  return (
    failure && {
      class: failure.class,
      retryable: failure.retryable,
      message: failure.message,
    }
  );
}

function architecturesOf({ architectureBuilds }: Row): readonly ArchitectureBuild[] {
  return architectureBuilds as readonly ArchitectureBuild[];
}
