import { AirlineError } from '../domain/errors.ts';
import type { Database } from '../models/database.ts';
import { readRow, type Row } from '../models/page.ts';
import type { Field } from './fields.ts';
import { notFound } from './read-resource.ts';
import type { Resource } from './resource.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * Adds a resource.
 *
 * @throws AirlineError `invalid_field`, `unknown_reference`, and what the resource's own rules throw
 */
export async function createResource(
  database: Database,
  resource: Resource,
  body: Body,
): Promise<Row> {
  const values = readValues(resource, body, 'creation');
  await checkReferences(database, resource, body, values);
  if (!resource.create) throw new Error(`${resource.name} is declared without create`);
  return (await resource.create(database, values)).get({ plain: true }) as Row;
}

/**
 * Changes the fields that the body gives.
 *
 * @throws AirlineError `not_found`, `invalid_field`, `unknown_reference`, and what the resource's own rules throw
 */
export async function changeResource(
  database: Database,
  resource: Resource,
  id: number,
  body: Body,
): Promise<Row> {
  const values = readValues(resource, body, 'change');
  await refuseNewReferences(database, resource, id, body);
  await checkReferences(database, resource, body, values);
  if (!resource.change) throw new Error(`${resource.name} is declared without change`);
  const changed = await resource.change(database, id, values);
  return changed ? (changed.get({ plain: true }) as Row) : notFound(resource, String(id));
}

function readValues(
  resource: Resource,
  body: Body,
  occasion: 'creation' | 'change',
): Record<string, unknown> {
  const wrong: Record<string, string[]> = {};
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    if (!isWritable(field, occasion)) continue;
    const given = Object.hasOwn(body, name) ? body[name] : undefined;
    const attribute = resource.attributeOf(name);
    if (given === undefined || given === null) {
      if (given === undefined && occasion === 'change') continue;
      if (field.otherwise !== undefined && given === undefined) values[attribute] = field.otherwise;
      else if (field.to)
        throw new AirlineError(
          'invalid_field',
          `The '${name}' field has no data and doesn't allow a default or null value.`,
        );
      else wrong[name] = ['This field is required.'];
      continue;
    }
    const parsed = field.schema.safeParse(given);
    if (parsed.success) values[attribute] = parsed.data;
    else if (field.to) throw unknownReference(field.to, given);
    else wrong[name] = [...new Set(parsed.error.issues.map(({ message }) => message))];
  }
  const names = Object.keys(wrong);
  if (names.length > 0)
    throw new AirlineError('invalid_field', `Not valid: ${names.join(', ')}.`, { fields: wrong });
  return values;
}

function isWritable({ writable }: Field, occasion: 'creation' | 'change'): boolean {
  return (
    writable === 'always' ||
    (writable === 'on creation' && occasion === 'creation') ||
    (writable === 'after creation' && occasion === 'change')
  );
}

/** A reference for life may be repeated in a change, but not changed. */
async function refuseNewReferences(
  database: Database,
  resource: Resource,
  id: number,
  body: Body,
): Promise<void> {
  const given = Object.entries(resource.fields).filter(
    ([name, { to, writable }]) => to && writable === 'on creation' && Object.hasOwn(body, name),
  );
  if (given.length === 0) return;
  const row = await readRow(resource.model(database), id);
  if (!row) notFound(resource, String(id));
  const changed = given.filter(
    ([name, { to }]) => to?.idOf(String(body[name])) !== row[resource.attributeOf(name)],
  );
  if (changed.length > 0)
    throw new AirlineError('invalid_field', 'A reference cannot be changed.', {
      fields: Object.fromEntries(
        changed.map(([name]) => [name, ['This field cannot be changed.']]),
      ),
    });
}

async function checkReferences(
  database: Database,
  resource: Resource,
  body: Body,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const [name, { to }] of Object.entries(resource.fields)) {
    const id = values[resource.attributeOf(name)];
    if (!to || typeof id !== 'number') continue;
    if (!(await readRow(to.model(database), id))) throw unknownReference(to, body[name]);
  }
}

function unknownReference(to: Resource, given: unknown): AirlineError {
  const uri = typeof given === 'string' ? given : JSON.stringify(given);
  return new AirlineError(
    'unknown_reference',
    `Could not find the provided ${to.name} object via resource URI '${uri.slice(0, 255)}'.`,
  );
}
