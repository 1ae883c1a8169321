import { Client, Connection } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { QueryTypes } from 'sequelize';
import type { BuildRecord } from '../../domain/builds/build-state.ts';
import { attributePairs, labelsOf } from '../../domain/builds/build-labels.ts';
import {
  BUILD_TASK_QUEUE,
  executionTimeoutMs,
  type BuildSourceInput,
} from '../../domain/builds/build-workflow.ts';
import { ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import { openDatabase } from '../../models/database.ts';
import { openArchiveState } from '../../stand-in/archive/archive-state.ts';
import { layoutOf } from '../../stand-in/archive/layout.ts';
import { newBuild, type SourcePublication } from '../../stand-in/archive/records.ts';
import { sideBySide } from '../../timing/side-by-side.ts';
import type { BenchStack } from '../bench-stack.ts';
import { inputOfWorkflow } from './workflow-input.ts';

const CREATED_AT = '2026-01-01T00:00:00.000000+00:00';
const SOURCE_STEM = 'airline-copy-';
const VERSION = '1.0-1';
/** The stand-in gives its numbers to sources and builds alike. */
const IDS_PER_BUILD = 2;
const ROWS_PER_PAGE = 200;
/** More would wait before the watches in the worker's queue, which then poll too late. */
const MAX_UNWATCHED = 400;
const LANES = 50;

/** Where the copies are: as many sources in each PPA. */
export type Copies = { ppas: number; sources: number; distribution: string; series: string };

/** A copy: its source, and the build of it in the PPA. */
type Place = { source: string; ppa: Ppa; standInBuild: number };

function placeOf(source: number, ppa: number, { ppas, distribution }: Copies): Place {
  return {
    source: sourceName(source),
    ppa: { owner: 'airline', distribution, name: `many-${ppa}` },
    standInBuild: IDS_PER_BUILD * (source * ppas + ppa + 1),
  };
}

/** The source that the PPAs have as their first, second, … one. */
export function sourceName(at: number): string {
  return `${SOURCE_STEM}${at}`;
}

/** Lets the stand-in have the sources, as if they had been uploaded, and builds of them that wait for a builder. */
export function fillStandIn(stateDir: string, architecture: string, copies: Copies): void {
  const state = openArchiveState(layoutOf(stateDir).root);
  state.transact(({ nextId, put }) => {
    // The first source of each PPA comes before the second of any: builders take the oldest.
    for (let source = 0; source < copies.sources; source++)
      for (let ppa = 0; ppa < copies.ppas; ppa++) {
        const place = placeOf(source, ppa, copies);
        const publication = publicationOf(
          nextId(),
          place.source,
          ppaReference(place.ppa),
          copies.series,
        );
        put('source', publication);
        put(
          'build',
          newBuild(nextId(), publication, { architecture, buildsArchitectureAll: true }),
        );
      }
  });
  state.close();
}

function publicationOf(
  id: number,
  source: string,
  archive: string,
  series: string,
): SourcePublication {
  return {
    id,
    archive,
    releaseId: id,
    source,
    version: VERSION,
    series,
    pocket: 'Release',
    component: 'main',
    section: 'misc',
    status: 'Published',
    createdAt: CREATED_AT,
    publishedAt: CREATED_AT,
    supersededAt: null,
    removedAt: null,
    removalComment: null,
    signer: '',
    changedBy: 'Airline Bench <bench@airline.example>',
    uploadId: null,
    changes: { name: `${source}_${VERSION}_source.changes`, sizeBytes: 0, sha256: '' },
    files: [],
  };
}

/**
 * Copies a build that waits in its PPA: its row, and its workflow, as one that has continued as new there. PPA by PPA,
 * so that few are polled as often as those are that builds have just joined.
 *
 * @param model a build of the same architecture, with its source, and with its record in the PPA
 * @param untilWatched resolves when at least so many builds have joined the watches of their PPAs
 * @returns the ids of the copies by their sources
 */
export async function copyBuild(
  bench: BenchStack,
  model: { id: number; workflowId: string; source: string; record: BuildRecord },
  copies: Copies,
  untilWatched: (atLeast: number) => Promise<void>,
): Promise<number[][]> {
  const { databaseUrl, temporalAddress } = bench.stack.addresses;
  const database = openDatabase(databaseUrl, 5);
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    const client = new Client({ connection });
    const input = await inputOfWorkflow(client, model.workflowId);
    const ids = Array.from({ length: copies.sources }, (): number[] => []);
    for (let ppa = 0, started = 0; ppa < copies.ppas; ppa++)
      for (let from = 0; from < copies.sources; from += ROWS_PER_PAGE) {
        await untilWatched(started - MAX_UNWATCHED);
        const to = Math.min(from + ROWS_PER_PAGE, copies.sources);
        const reference = ppaReference(placeOf(from, ppa, copies).ppa);
        const rows = await database.sequelize.query<{ id: number }>(COPY_ROWS, {
          type: QueryTypes.SELECT,
          bind: [model.id, model.source, SOURCE_STEM, from, to, reference],
        });
        const page = rows.map(({ id }) => id);
        const builds = await database.Build.findAll({ where: { id: page }, order: ['id'] });
        await sideBySide(builds, LANES, async (build) => {
          const source = from + page.indexOf(build.id);
          const place = placeOf(source, ppa, copies);
          await startCopy(client, build.workflowId, {
            ...input,
            request: { ...build.toRequest(), sourcePackages: [] },
            ppa: place.ppa,
            resumed: resumedAt(place, model.record),
          });
          ids[source]?.push(build.id);
        });
        started += page.length;
      }
    return ids;
  } finally {
    await connection.close();
    await database.close();
  }
}

// A row is copied with its source's name, wherever that stands in it.
const COPY_ROWS = `
  INSERT INTO build
  SELECT (jsonb_populate_record(NULL::build,
    replace(to_jsonb(model)::text, $2, $3 || source)::jsonb || jsonb_build_object(
      'id', nextval(pg_get_serial_sequence('build', 'id')),
      'ppa', $6::text,
      'attempt_key', gen_random_uuid(),
      'last_seq', 0,
      'reported_at', clock_timestamp(),
      'updated_at', clock_timestamp()))).*
  FROM build AS model, generate_series($4::integer, $5::integer - 1) AS source WHERE model.id = $1
  ORDER BY source
  RETURNING id`;

function resumedAt({ source, ppa, standInBuild }: Place, model: BuildRecord) {
  const address = (link: string) =>
    link.replace(
      /\/\+archive\/.*$/,
      `/+archive/${ppa.distribution}/${ppa.name}/+build/${standInBuild}`,
    );
  return {
    packages: [{ source, version: VERSION, files: [] }],
    sent: 1,
    accepted: true,
    records: [
      {
        ...model,
        package: source,
        version: VERSION,
        selfLink: address(model.selfLink),
        webLink: address(model.webLink),
        createdAt: CREATED_AT,
      },
    ],
    polls: 0,
    startedAtMs: Date.now(),
    uploadedAtMs: Date.now(),
    dependencyWaitSinceMs: null,
    cancellation: null,
  };
}

async function startCopy(
  client: Client,
  workflowId: string,
  input: BuildSourceInput,
): Promise<void> {
  const { request, ppa, limits } = input;
  const { searchAttributes, ...labels } = labelsOf({ request, ppa, requestId: null });
  await client.workflow.start('BuildSourceWorkflow', {
    taskQueue: BUILD_TASK_QUEUE,
    workflowId,
    workflowExecutionTimeout: executionTimeoutMs(limits),
    args: [input],
    ...labels,
    typedSearchAttributes: new TypedSearchAttributes(attributePairs(searchAttributes)),
  });
}
