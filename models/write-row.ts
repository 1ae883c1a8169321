import type { Model, ModelStatic, Transaction } from 'sequelize';
import { DatabaseError } from 'pg';
import { AirlineError } from '../domain/errors.ts';
import { selectAll, selectRow } from './select-rows.ts';
import { execute, Values, type Row } from './statement.ts';
import { columnList, columnOf, sequelizeOf, tableOf } from './table.ts';
import type { Work } from './work.ts';

type Given = Readonly<Record<string, unknown>>;

// A PUT may have given an id that the sequence comes to later; the insertion then goes on behind it.
const MAX_TAKEN_IDS = 100;
// restrict_violation since PostgreSQL 18, foreign_key_violation before:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const STILL_REFERENCED = ['23001', '23503'];
// unique_violation, exclusion_violation
const TAKEN = ['23505', '23P01'];

/**
 * Adds a row, in one statement, unless there is one with the same value of the attribute that is unique.
 *
 * @returns the new row, or the one that there is
 * @throws AirlineError `conflict` where the given id is taken
 */
export async function insertRow(
  model: ModelStatic<Model>,
  given: Given,
  { unique, transaction }: { unique?: string | undefined; transaction?: Transaction | undefined },
): Promise<{ row: Row; isNew: boolean }> {
  const values = new Values();
  const attributes = Object.keys(given);
  const columns = attributes.map((attribute) => columnOf(model, attribute));
  const placeholders = attributes.map((attribute) => values.add(given[attribute]));
  const text = `INSERT INTO ${tableOf(model)}
    ${columns.length > 0 ? `(${columns.join(', ')}) VALUES (${placeholders.join(', ')})` : 'DEFAULT VALUES'}
    ON CONFLICT DO NOTHING RETURNING ${columnList(model)}`;
  for (let attempt = 0; attempt < MAX_TAKEN_IDS; attempt++) {
    const [row] = await execute(sequelizeOf(model), { text, values: values.list }, transaction);
    if (row) return { row, isNew: true };
    const existing = unique && (await rowWith(model, unique, given[unique], transaction));
    if (existing) return { row: existing, isNew: false };
    if (given['id'] !== undefined) break;
    await skipTakenIds(model, transaction);
  }
  throw new AirlineError('conflict', 'A row with this id came to be in the same moment.');
}

/** Takes the sequence of the ids, where it stands on one that is taken, to the last of those that follow each other. */
async function skipTakenIds(
  model: ModelStatic<Model>,
  transaction: Transaction | undefined,
): Promise<void> {
  const table = tableOf(model);
  const text = `WITH sequence AS (
      SELECT pg_get_serial_sequence($1, 'id')::regclass AS name
    ), place AS (
      SELECT name, pg_sequence_last_value(name) AS at FROM sequence
    ), run AS (
      SELECT id AS last FROM ${table} taken
      WHERE id >= (SELECT at FROM place) AND EXISTS (SELECT FROM ${table} WHERE id = (SELECT at FROM place))
        AND NOT EXISTS (SELECT FROM ${table} next WHERE next.id = taken.id::bigint + 1)
      ORDER BY id LIMIT 1
    )
    SELECT setval(place.name, run.last) FROM place, run`;
  await execute(sequelizeOf(model), { text, values: [table] }, transaction);
}

/**
 * Changes what is given of a row, in one statement.
 *
 * @param tells columns by which the change tells a trigger who makes it
 * @returns the row as it is now; undefined where there is no such row
 * @throws AirlineError `precondition_failed` where the work names revisions and the row is at another
 */
export async function reviseRow(
  model: ModelStatic<Model>,
  id: number,
  changes: Given,
  work: Work,
  tells: Given = {},
): Promise<Row | undefined> {
  const attributes = Object.keys(changes);
  if (attributes.length === 0) {
    const row = await selectRow(model, id, work);
    if (row) checkRevision(row, work);
    return row;
  }
  const values = new Values();
  const key = values.add(id);
  const text = `UPDATE ${tableOf(model)} SET
    ${attributes.map((attribute) => `${columnOf(model, attribute)} = ${values.add(changes[attribute])}`).join(', ')},
    ${Object.entries(tells)
      .map(([column, value]) => `${column} = ${values.add(value)}, `)
      .join('')}
    revision = revision + 1, updated_at = clock_timestamp()
    WHERE id = ${key}${work.ifRevision ? ` AND revision = ANY(${values.add(work.ifRevision)})` : ''}
    RETURNING ${columnList(model)}`;
  const [changed] = await execute(
    sequelizeOf(model),
    { text, values: values.list },
    work.transaction,
  );
  if (changed || !work.ifRevision) return changed;
  const row = await selectRow(model, id, work);
  if (row) throw changedMeanwhile(row);
  return undefined;
}

/**
 * Deletes a row.
 *
 * @returns whether there was one
 * @throws AirlineError `referenced` where others refer to it, `precondition_failed`
 */
export async function deleteRow(
  model: ModelStatic<Model>,
  id: number,
  work: Work,
): Promise<boolean> {
  const values = new Values();
  const text = `DELETE FROM ${tableOf(model)} WHERE id = ${values.add(id)}
    ${work.ifRevision ? `AND revision = ANY(${values.add(work.ifRevision)})` : ''} RETURNING id`;
  try {
    const deleted = await execute(
      sequelizeOf(model),
      { text, values: values.list },
      work.transaction,
    );
    if (deleted.length > 0) return true;
  } catch (error) {
    if (!(error instanceof DatabaseError) || !STILL_REFERENCED.includes(error.code ?? ''))
      throw error;
    throw new AirlineError('referenced', `It is referred to by a ${error.table ?? 'row'}.`, {
      cause: error,
    });
  }
  const row = work.ifRevision && (await selectRow(model, id, work));
  if (row) throw changedMeanwhile(row);
  return false;
}

/** Whether an error means that another row has the value that only one can have. */
export function isTaken(error: unknown): boolean {
  return error instanceof DatabaseError && TAKEN.includes(error.code ?? '');
}

/** @throws AirlineError `precondition_failed` where the work names revisions and the row is at another */
export function checkRevision(row: Row, { ifRevision }: Work): void {
  if (ifRevision && !ifRevision.includes(row['revision'] as number)) throw changedMeanwhile(row);
}

function changedMeanwhile(row: Row): AirlineError {
  return new AirlineError('precondition_failed', `Its ETag is "${String(row['revision'])}" now.`);
}

async function rowWith(
  model: ModelStatic<Model>,
  attribute: string,
  value: unknown,
  transaction: Transaction | undefined,
): Promise<Row | undefined> {
  return (await selectAll(model, [{ attribute, lookup: 'exact', value }], transaction))[0];
}
