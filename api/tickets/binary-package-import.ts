import { setImmediate as letOthersRun } from 'node:timers/promises';
import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import {
  importBinaryPackages,
  type BinaryPackageEntry,
} from '../../models/tickets/import-binary-packages.ts';
import { answerWriting } from '../rest/answers.ts';
import { text } from '../rest/fields.ts';
import type { Operation } from '../http/operation.ts';
import { mutationContextOf } from '../rest/request-context.ts';
import { byField, problemsOf } from '../rest/request-problems.ts';
import { binaryPackage, BINARY_PACKAGE_FIELDS } from '../resources/binary-package.ts';
import { SOURCE_PACKAGE_FIELDS } from '../resources/source-package.ts';

/** How many wrong entries an answer names. */
const MAX_NAMED = 20;
/** Whoever sends more does not send such a file: the rest is not read. */
const MAX_WRONG = 1_000;
const MAX_SHOWN_LENGTH = 100;
/** The largest file has hundreds of thousands of entries; no other request should wait for all of them to be read. */
const READ_AT_ONCE = 1_000;

const { name, seeded } = BINARY_PACKAGE_FIELDS;
const version = text({ isVersion: true, help: 'Its version.' });

/** An entry of the file. Its fields follow the same rules as when a resource is written alone. */
const entrySchema = z
  .looseObject(
    {
      name: name.input.meta({ description: name.help }),
      sourcepackage: SOURCE_PACKAGE_FIELDS.name.input.meta({
        description: 'The name of its source package, which is added if it does not exist.',
      }),
      version: version.input.meta({ description: version.help }),
      seeded: seeded.input.nullish().meta({
        description: `${seeded.help} If absent, it stays as it is; false for a new package.`,
      }),
    },
    { error: 'Enter an object.' },
  )
  .meta({ title: 'binarypackage_import_entry' });

const counts = z
  .object({
    created: z.int().meta({ description: 'How many were added.' }),
    updated: z.int().meta({ description: 'How many were changed.' }),
    unchanged: z.int().meta({ description: 'How many were unchanged.' }),
  })
  .meta({ title: 'binarypackage_import_counts' });

/** POST /api/v1/binarypackage/import/: takes the project data file as it comes. */
export const importOperation: Operation = {
  method: 'post',
  path: '/api/v1/binarypackage/import/',
  summary: 'Add and change binary packages, and add their source packages, all or nothing',
  scope: 'ticket:write',
  resource: binaryPackage.name,
  body: z.array(entrySchema),
  bodyLimit: 'importMaxBytes',
  places: 'imports',
  answers: {
    200: {
      description:
        'How many packages were added, changed, and left unchanged. An entry that is repeated counts once.',
      schema: counts,
    },
  },
  errors: ['invalid_field', 'overloaded'],
  handle: async (ctx, { database }) => {
    const entries = await readEntries(ctx.request.body as readonly unknown[]);
    const done = await importBinaryPackages(database.sequelize, entries, mutationContextOf(ctx));
    answerWriting(ctx, 200, () => done);
  },
};

/** @throws AirlineError `invalid_field` that names wrong entries by their index */
async function readEntries(given: readonly unknown[]): Promise<BinaryPackageEntry[]> {
  const first = new Map<string, { index: number; entry: BinaryPackageEntry }>();
  const fields: Record<string, string[]> = {};
  let wrong = 0;
  for (const [index, one] of given.entries()) {
    if (index % READ_AT_ONCE === READ_AT_ONCE - 1) await letOthersRun();
    const parsed = entrySchema.safeParse(one);
    const problems = parsed.success ? {} : problemsByPlace(parsed.error, one);
    if (parsed.success) {
      const entry = entryOf(parsed.data);
      const other = first.get(entry.name);
      if (!other) first.set(entry.name, { index, entry });
      else if (!isSame(entry, other.entry))
        problems['.name'] = [
          `[${other.index}] says something else of ${entry.name.slice(0, MAX_SHOWN_LENGTH)}.`,
        ];
    }
    const places = Object.entries(problems);
    if (places.length === 0) continue;
    wrong += 1;
    if (wrong > MAX_WRONG) break;
    if (wrong <= MAX_NAMED)
      for (const [place, messages] of places) fields[`[${index}]${place}`] = messages;
  }
  if (wrong === 0) return [...first.values()].map(({ entry }) => entry);
  const named = wrong > MAX_NAMED ? `; the first ${MAX_NAMED} are named` : '';
  const count = wrong > MAX_WRONG ? `More than ${MAX_WRONG}` : String(wrong);
  const message = `${count} of ${given.length} entries are not valid${named}.`;
  throw new AirlineError('invalid_field', message, { fields: { ...fields, __all__: [message] } });
}

function entryOf(data: z.infer<typeof entrySchema>): BinaryPackageEntry {
  return {
    name: data.name,
    sourcePackage: data.sourcepackage,
    version: data.version,
    seeded: data.seeded ?? undefined,
  };
}

function isSame(one: BinaryPackageEntry, other: BinaryPackageEntry): boolean {
  return (
    one.version === other.version &&
    one.sourcePackage === other.sourcePackage &&
    one.seeded === other.seeded
  );
}

/** What is wrong with an entry, by the place in it: `.name`, or the empty one for all of it. */
function problemsByPlace(error: z.ZodError, given: unknown): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(byField(problemsOf(error, given))).map(([field, messages]) => [
      field === '' ? '' : `.${field}`,
      messages,
    ]),
  );
}
