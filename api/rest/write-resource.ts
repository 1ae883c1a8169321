import type { Model, ModelStatic } from 'sequelize';
import type { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import type { Database } from '../../models/database.ts';
import type { Row } from '../../models/sql/query.ts';
import { assertRevision, DuplicateRow, type StoredModel } from '../../models/sql/stored-model.ts';
import type { MutationContext } from '../../models/sql/mutation-context.ts';
import { atomically } from '../../models/sql/transactions.ts';
import { nameIn } from '../http/named-resource.ts';
import { atPlace } from './nested-errors.ts';
import { notFound } from './read-resource.ts';
import { REQUIRED } from './request-problems.ts';
import { isWritable, type Mode } from './request-schema.ts';
import type { Field, Resource } from './resource.ts';

type Body = Readonly<Record<string, unknown>>;
type Values = Record<string, unknown>;

/**
 * Adds a resource, and what its body nests in it, all or nothing.
 *
 * @param id where the caller has chosen it
 * @throws AirlineError `invalid_field`, `unknown_reference`, `conflict`, and what the model's own rules throw
 */
export async function createResource(
  database: Database,
  resource: Resource,
  body: Body,
  context: MutationContext,
  id?: number,
): Promise<Row> {
  const values = { ...readValues(resource, body, 'creation'), ...(id === undefined ? {} : { id }) };
  return withReferences(
    database,
    resource,
    body,
    'creation',
    context,
    async (references, within) => {
      try {
        const model = writtenModel(database, resource);
        return (await model.createOne({ ...values, ...references }, within)).get({ plain: true });
      } catch (error) {
        throw namingExisting(resource, error);
      }
    },
  );
}

/**
 * Adds a resource as the body has it: with the fields, too, that a POST leaves to the model. Null leaves them to it.
 *
 * @param id where the caller has chosen it
 * @throws AirlineError as `createResource` and `changeResource` do
 */
export async function createAsGiven(
  database: Database,
  resource: Resource,
  body: Body,
  context: MutationContext,
  id?: number,
): Promise<Row> {
  const later = Object.entries(body).filter(
    ([name, given]) => resource.fields[name]?.writable === 'after creation' && given !== null,
  );
  if (later.length === 0) return createResource(database, resource, body, context, id);
  return atomically(database.sequelize, context, async (within) => {
    const row = await createResource(database, resource, body, within, id);
    const changes = Object.fromEntries(later);
    return changeResource(database, resource, row['id'] as number, changes, within);
  });
}

/**
 * Changes the fields that the body gives. A PUT leaves the others as they are too, like Tastypie.
 *
 * @throws AirlineError `not_found`, `invalid_field`, `unknown_reference`, `conflict`, `precondition_failed`, and what
 * the model's own rules throw
 */
export async function changeResource(
  database: Database,
  resource: Resource,
  id: number,
  body: Body,
  context: MutationContext,
): Promise<Row> {
  const values = readValues(resource, body, 'change');
  await assertReferencesStay(database, resource, id, body, context);
  return withReferences(database, resource, body, 'change', context, async (references, within) => {
    try {
      const changes = { ...values, ...references };
      const row = await writtenModel(database, resource).updateOne(id, changes, within);
      return row?.get({ plain: true }) ?? notFound(resource, String(id));
    } catch (error) {
      throw namingExisting(resource, error);
    }
  });
}

/**
 * Changes the resource of an id, or adds it if there is none: Tastypie's PUT.
 *
 * @param only set if the caller wants only to add, or only to change
 * @returns whether it was added
 * @throws AirlineError as `changeResource` and `createAsGiven` do; `precondition_failed` where it is not as `only`
 * says
 */
export async function putResource(
  database: Database,
  resource: Resource,
  id: number,
  body: Body,
  context: MutationContext,
  only?: 'change' | 'creation',
): Promise<{ row: Row; isNew: boolean }> {
  const existing = await exists(database, resource, id, context);
  if (existing && only === 'creation')
    throw new AirlineError('precondition_failed', `There is a ${resource.name} ${id} already.`);
  if (existing)
    return { row: await changeResource(database, resource, id, body, context), isNew: false };
  if (only === 'change')
    throw new AirlineError('precondition_failed', `There is no ${resource.name} ${id}.`);
  return { row: await createAsGiven(database, resource, body, context, id), isNew: true };
}

/**
 * Deletes a resource.
 *
 * @throws AirlineError `not_found`, `referenced`, `precondition_failed`
 */
export async function deleteResource(
  database: Database,
  resource: Resource,
  id: number,
  context: MutationContext,
): Promise<void> {
  if (!(await writtenModel(database, resource).deleteOne(id, context)))
    notFound(resource, String(id));
}

/** The resource that a body nests: the one that its URI, its id or its unique field names, otherwise a new one. */
export async function findOrCreateResource(
  database: Database,
  resource: Resource,
  body: Body,
  context: MutationContext,
): Promise<number> {
  const uri = uriIn(resource, body);
  if (uri !== '') return existingId(database, resource, uri, context);
  const model = writtenModel(database, resource);
  if (model.unique === undefined)
    return (await createResource(database, resource, body, context))['id'] as number;
  const values = readValues(resource, body, 'creation');
  return withReferences(
    database,
    resource,
    body,
    'creation',
    context,
    async (references, within) => {
      return (await model.findOrCreateOne({ ...values, ...references }, within)).id;
    },
  );
}

/** The model of a resource, to be written. The compiler checks its declaration against the model's types. */
export function writtenModel(
  database: Database,
  { name, model, writeScope }: Resource,
): StoredModel<Values, Values> {
  if (writeScope === undefined) throw new Error(`${name} is declared read-only`);
  return database[model] as ModelStatic<Model> as StoredModel<Values, Values>;
}

function readValues(resource: Resource, body: Body, mode: Mode): Values {
  const wrong: Record<string, string[]> = {};
  const values: Values = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    if (!isWritable(field, mode)) continue;
    const given = Object.hasOwn(body, name) ? body[name] : undefined;
    if (given === undefined || given === null) {
      const value = valueOfNothing(name, field, given, mode);
      if (value === NOTHING) wrong[name] = [REQUIRED];
      else if (value !== undefined) values[resource.attributeOf(name)] = value;
      continue;
    }
    const parsed = field.input.safeParse(given);
    if (!parsed.success && field.to) throw unknownReference(field.to, given);
    if (!parsed.success) wrong[name] = messagesOf(parsed.error);
    else if (!field.to) values[resource.attributeOf(name)] = parsed.data;
  }
  const names = Object.keys(wrong);
  if (names.length > 0)
    throw new AirlineError('invalid_field', `Not valid: ${names.join(', ')}.`, { fields: wrong });
  return values;
}

/** There is none, and there has to be. */
const NOTHING = Symbol('nothing');

/** The value of a field that the body does not give, or gives as null; undefined if the field is left out. */
function valueOfNothing(name: string, field: Field, given: undefined | null, mode: Mode): unknown {
  if (given === undefined && mode === 'change') return undefined;
  if (field.default === null) return null;
  // Like Tastypie, which passes over a null where a new row has a value of its own.
  if (mode === 'creation' && field.default !== undefined) return field.default;
  if (!field.to) return NOTHING;
  throw new AirlineError(
    'invalid_field',
    `The '${name}' field has no data and doesn't allow a default or null value.`,
  );
}

function messagesOf(error: z.ZodError): string[] {
  return [...new Set(error.issues.map(({ message }) => message))];
}

/**
 * Resolves the body's references to ids and writes with them, in one transaction if any may be added. A change writes
 * none that never changes: Airline itself may have changed it since it was compared.
 */
async function withReferences<T>(
  database: Database,
  resource: Resource,
  body: Body,
  mode: Mode,
  context: MutationContext,
  write: (references: Values, within: MutationContext) => Promise<T>,
): Promise<T> {
  const given = Object.entries(resource.fields).filter(
    ([name, field]) => field.to && isWritable(field, mode) && isGiven(body, name),
  );
  const isNesting = given.some(([name]) => typeof body[name] === 'object');
  const resolve = async (within: MutationContext) => {
    const references: Values = {};
    // Nested resources are part of the same change but have revisions of their own.
    const unconditional = { ...within, ifRevision: undefined };
    for (const [name, { to }] of given)
      if (to)
        references[resource.attributeOf(name)] = await referredId(
          database,
          to,
          name,
          body[name],
          unconditional,
        );
    return write(references, within);
  };
  return isNesting ? atomically(database.sequelize, context, resolve) : resolve(context);
}

function isGiven(body: Body, name: string): boolean {
  return Object.hasOwn(body, name) && body[name] !== null && body[name] !== undefined;
}

async function referredId(
  database: Database,
  to: Resource,
  name: string,
  given: unknown,
  context: MutationContext,
): Promise<number> {
  if (typeof given === 'string') return existingId(database, to, given, context);
  return atPlace(name, () => findOrCreateResource(database, to, given as Body, context));
}

async function existingId(
  database: Database,
  to: Resource,
  uri: string,
  context: MutationContext,
): Promise<number> {
  const id = to.idOf(uri);
  if (id === undefined || !(await exists(database, to, id, context)))
    throw unknownReference(to, uri);
  return id;
}

async function exists(
  database: Database,
  resource: Resource,
  id: number,
  { transaction }: MutationContext,
): Promise<boolean> {
  const model: ModelStatic<Model> = database[resource.model];
  const found = await model.findByPk(id, {
    attributes: ['id'],
    raw: true,
    ...(transaction ? { transaction } : {}),
  });
  return found !== null;
}

/** A change may repeat a reference that never changes, but not change it. */
async function assertReferencesStay(
  database: Database,
  resource: Resource,
  id: number,
  body: Body,
  context: MutationContext,
): Promise<void> {
  const given = Object.entries(resource.fields).filter(
    ([name, { to, writable }]) => to && writable === 'on creation' && Object.hasOwn(body, name),
  );
  if (given.length === 0) return;
  const { transaction = null } = context;
  const row = await writtenModel(database, resource).findByPk(id, { transaction });
  if (!row) notFound(resource, String(id));
  assertRevision(row.revision, context);
  const changed = given.filter(
    ([name, { to }]) =>
      (body[name] === null ? null : to?.idOf(uriIn(to, body[name]))) !==
      row.get(resource.attributeOf(name)),
  );
  if (changed.length > 0)
    throw new AirlineError('invalid_field', 'A reference cannot be changed.', {
      fields: Object.fromEntries(
        changed.map(([name]) => [name, ['This field cannot be changed.']]),
      ),
    });
}

/** The address of what a reference names; empty: it names none. */
function uriIn(to: Resource, given: unknown): string {
  const name = nameIn(given) ?? '';
  return typeof name === 'number' ? to.uriOf(name) : name;
}

function namingExisting(resource: Resource, error: unknown): unknown {
  if (!(error instanceof DuplicateRow)) return error;
  return new AirlineError('conflict', `There is one already: ${resource.uriOf(error.existingId)}`, {
    cause: error,
  });
}

function unknownReference(to: Resource, given: unknown): AirlineError {
  // A list may be as deep as nothing can print.
  const uri = Array.isArray(given) ? '[…]' : String(given);
  return new AirlineError(
    'unknown_reference',
    `Could not find the provided ${to.name} object via resource URI '${uri.slice(0, 255)}'.`,
  );
}
