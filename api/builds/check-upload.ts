import { z } from 'zod';
import { AirlineError, ERRORS, type ErrorCode } from '../../domain/errors.ts';
import { FILE_NAME, SOURCE_NAME, SOURCE_VERSION } from '../../domain/packages/source-file.ts';
import { assertTargetsAllowed } from '../../domain/access/target-rule.ts';
import type { UploadCheck } from '../../domain/builds/upload-check.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import { answerJson, type ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { takePlace } from '../http/places.ts';
import { bodyOf } from '../rest/resource-routes.ts';
import { problemsOf, refusal } from '../rest/request-problems.ts';
import {
  archiveText,
  ppaText,
  queueText,
  readPpaField,
  seriesText,
} from '../requests/target-fields.ts';

const MAX_PACKAGES = 100;
const MAX_FILES = 1_000;

const listedFile = z.looseObject(
  {
    name: z
      .string({ error: 'Enter a string.' })
      .regex(FILE_NAME, 'Enter a plain file name.')
      .meta({ description: 'The name of the file.' }),
    sha256: z
      .string({ error: 'Enter a string.' })
      .regex(/^[0-9a-f]{64}$/, 'Enter 64 digits of 0-9 a-f.')
      .meta({ description: 'Its SHA-256.' }),
    size: z.unknown().optional().meta({
      description: 'Not looked at: the SHA-256 says what the file is. Older commands send it.',
    }),
  },
  { error: 'Every entry is an object.' },
);

const listedFiles = z
  .array(listedFile, { error: 'Enter a list of files.' })
  .max(MAX_FILES, `At most ${MAX_FILES} files are taken for a package.`);

const checkedPackage = z.looseObject(
  {
    source: z
      .string({ error: 'Enter a string.' })
      .regex(SOURCE_NAME, 'Enter the name of a source package.')
      .meta({ description: 'The name of the source package.' }),
    version: z
      .string({ error: 'Enter a string.' })
      .max(100, 'The version is too long.')
      .regex(SOURCE_VERSION, 'Enter a version, such as 2.10-3.')
      .meta({ description: 'Its version.' }),
    files: listedFiles
      .min(1, 'Name at least one file.')
      .meta({ description: 'The files that the .changes lists.' }),
    left_out: listedFiles.optional().meta({
      description:
        "Upstream's files that the .dsc lists and the .changes does not. Older commands do not send it.",
    }),
    signed_by: z
      .string({ error: 'Enter a string or null.' })
      .regex(/^[0-9A-Fa-f]{16,64}$/, 'Enter the fingerprint of a key, 16 to 64 hexadecimal digits.')
      .nullish()
      .meta({
        description:
          "The issuer's fingerprint in the signature of the .changes; null: not signed; absent: not known.",
      }),
    changed_by: z
      .string({ error: 'Enter a string or null.' })
      .max(300, 'The address is too long.')
      .nullish()
      .meta({ description: 'The e-mail address in Changed-By.' }),
  },
  { error: 'Every entry is an object.' },
);

const checkSchema = z.looseObject({
  ppa: ppaText,
  archive: archiveText,
  series: seriesText.meta({ description: 'The series that is built for.' }),
  progress_trigger: queueText.nullish().meta({
    description:
      'The queue that the build would name, or what its name begins with: whether the caller may name it.',
  }),
  packages: z
    .array(checkedPackage, { error: 'Enter a list of source packages.' })
    .min(1, 'Name at least one source package.')
    .max(MAX_PACKAGES, `At most ${MAX_PACKAGES} source packages are taken in one request.`)
    .meta({ description: 'The source packages that would be uploaded.' }),
});

const answerSchema = z
  .object({
    problems: z
      .array(
        z.object({
          code: z
            .enum(Object.keys(ERRORS) as ErrorCode[])
            .meta({ description: 'What kind of problem it is.' }),
          message: z.string().meta({ description: 'What is wrong.' }),
          hint: z.string().meta({ description: 'What to do about it.' }),
          source: z
            .string()
            .nullable()
            .meta({ description: 'The source package; null: it is about none of them.' }),
        }),
      )
      .meta({ description: 'Why the PPA would not take the upload; empty where it would.' }),
  })
  .meta({ title: 'upload_check' });

/** Whether a PPA would take an upload: asked before anything is stored. */
export const checkUploadOperation: Operation = {
  method: 'post',
  path: '/api/v1/check_upload',
  summary: 'Ask whether a PPA would take source packages, before they are stored',
  scope: 'build:write',
  changesNothing: true,
  body: checkSchema,
  answers: {
    200: { description: 'What is wrong; nothing where the list is empty.', schema: answerSchema },
  },
  errors: ['invalid_field', 'target_not_allowed', 'check_unavailable', 'overloaded'],
  handle: answerCheck,
};

async function answerCheck(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const { check, queue } = readCheck(bodyOf(ctx));
  assertTargetsAllowed(deps.targets, ctx.state.actor, { ppas: [check.ppa], queue });
  const giveBack = takePlace(deps.places.uploadChecks, ctx.state.actor.name);
  try {
    const problems = await deps.checkUpload(check).catch((cause: unknown) => {
      throw new AirlineError('check_unavailable', 'The PPA could not be asked in time.', { cause });
    });
    answerJson(ctx, 200, { problems });
  } finally {
    giveBack();
  }
}

/**
 * Reads the body of check_upload. Every problem of the body is reported at once.
 *
 * @returns what the PPA is asked, and the queue that the build would name
 * @throws AirlineError `invalid_field`, with `fields`
 */
function readCheck(given: Readonly<Record<string, unknown>>): {
  check: UploadCheck;
  queue: string | null | undefined;
} {
  const { data, error } = checkSchema.safeParse(given);
  const problems = problemsOf(error, given);
  const ppa = readPpaField(given, problems);
  if (problems.length > 0 || !data || !ppa) throw refusal(problems);
  const check = {
    ppa,
    series: data.series,
    packages: data.packages.map(({ source, version, files, left_out, signed_by, changed_by }) => ({
      source,
      version,
      files: files.map(fileOf),
      ...(left_out ? { leftOut: left_out.map(fileOf) } : {}),
      isSigned: signed_by !== null,
      ...(signed_by ? { signer: { key: signed_by, email: changed_by ?? null } } : {}),
    })),
  };
  return { check, queue: data.progress_trigger };
}

function fileOf({ name, sha256 }: z.infer<typeof listedFile>) {
  return { name, sha256 };
}
