import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import type { MutationContext } from '../../models/sql/mutation-context.ts';
import { MAX_PAGE_BYTES } from '../../models/sql/page-bytes.ts';
import { atomically } from '../../models/sql/transactions.ts';
import type { ResourceDependencies } from '../dependencies.ts';
import { atPlace, readEnvelope } from './nested-errors.ts';
import { reasonIn } from './request-context.ts';
import { putSchema, reasonSchema } from './request-schema.ts';
import type { Resource } from './resource.ts';
import { changeResource, createAsGiven, deleteResource, writtenModel } from './write-resource.ts';

type Body = Readonly<Record<string, unknown>>;

const MAX_OBJECTS = 1_000;

/** @param object the fields of one object, besides the URI that says which one it is */
function patchSchema<Shape extends z.ZodRawShape>(object: z.ZodObject<Shape, z.core.$loose>) {
  return z.looseObject({
    objects: z
      .array(
        object.extend({
          resource_uri: z
            .string()
            .nullish()
            .meta({ description: 'The one to change; without it, a new one is added.' }),
        }),
      )
      .max(MAX_OBJECTS)
      .meta({ description: 'Those to change and to add.' }),
    deleted_objects: z
      .array(z.string())
      .max(MAX_OBJECTS)
      .nullish()
      .meta({ description: 'The addresses of those to delete.' }),
  });
}

/** The first check. The fields of each object are checked later, as in a request of its own, with the same texts. */
const envelopeSchema = patchSchema(z.looseObject({}));

/** The body of a PATCH of a list, with the fields of its objects. */
export function patchListSchema(resource: Resource): z.ZodObject {
  const schema = patchSchema(putSchema(resource));
  if (!resource.takesReason) return schema;
  const reason = reasonSchema.meta({ description: 'That of the objects which give none.' });
  return schema.extend({ reason });
}

/**
 * Adds the objects without `resource_uri`, changes those with it, and deletes `deleted_objects`, all or nothing.
 *
 * @param options.isShown the answer has what was added or changed
 * @returns that, in the order of the body; nothing where it is not shown
 * @throws AirlineError what each of the changes throws, with its place in the body, and `unknown_reference` for what is
 *   gone; `precondition_failed` where the caller names an ETag; `answer_too_large`
 */
export async function patchList(
  deps: ResourceDependencies,
  resource: Resource,
  body: Body,
  context: MutationContext,
  { isShown }: { isShown: boolean },
): Promise<Record<string, unknown>[]> {
  const { database } = deps;
  const { objects, deleted_objects: deleted } = readEnvelope(envelopeSchema, body, dueAt);
  if (context.ifRevision)
    throw new AirlineError(
      'precondition_failed',
      'Objects of a list are changed without If-Match; change one by one those that must not have changed.',
    );
  const ids = objects.map(({ resource_uri: uri }, index) =>
    typeof uri === 'string' ? idIn(resource, uri, `objects[${index}]`) : undefined,
  );
  const deletedIds = (deleted ?? []).map((uri, index) =>
    idIn(resource, uri, `deleted_objects[${index}]`),
  );
  return atomically(database.sequelize, context, async (within) => {
    // All locks first, so that two lists with the same objects in different orders take turns.
    const named = [...ids.filter((id) => id !== undefined), ...deletedIds];
    await writtenModel(database, resource).lockAll(named, within.transaction);
    const write = (object: Body, id: number | undefined) => {
      const reason = (resource.takesReason ? reasonIn(object) : undefined) ?? within.reason;
      const forIt = { ...within, reason };
      return id === undefined
        ? createAsGiven(database, resource, object, forIt)
        : changeResource(database, resource, id, object, forIt);
    };
    const shown: Record<string, unknown>[] = [];
    let shownBytes = 0;
    for (const [index, { resource_uri: _, ...object }] of objects.entries()) {
      const row = await ofList(`objects[${index}]`, async () => write(object, ids[index]));
      if (!isShown) continue;
      const one = resource.serialize(row, deps);
      shown.push(one);
      shownBytes += Buffer.byteLength(JSON.stringify(one));
      if (shownBytes > MAX_PAGE_BYTES)
        throw new AirlineError(
          'answer_too_large',
          `Nothing is changed: these ${objects.length} of ${resource.name} are too large for one answer.`,
        );
    }
    for (const [index, id] of deletedIds.entries())
      await ofList(`deleted_objects[${index}]`, () =>
        deleteResource(database, resource, id, within),
      );
    return shown;
  });
}

/** What has to be at a place of the body. */
function dueAt(place: string): string {
  if (place.endsWith('.resource_uri')) return 'Enter a URI.';
  const isOfUris = place.startsWith('deleted_objects');
  if (place.endsWith(']')) return isOfUris ? 'Enter a URI.' : 'Enter an object.';
  return `Enter a list of at most ${MAX_OBJECTS} ${isOfUris ? 'URIs' : 'objects'}.`;
}

/** The address is that of the list, which is there: what is not found is a URI in the body. */
function ofList<T>(place: string, run: () => Promise<T>): Promise<T> {
  return atPlace(place, async () => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof AirlineError) || error.code !== 'not_found') throw error;
      throw new AirlineError('unknown_reference', error.message, { cause: error });
    }
  });
}

function idIn(resource: Resource, uri: string, place: string): number {
  const id = resource.idOf(uri);
  if (id !== undefined) return id;
  throw new AirlineError(
    'unknown_reference',
    `${place}: Could not find the provided ${resource.name} object via resource URI '${uri.slice(0, 255)}'.`,
  );
}
