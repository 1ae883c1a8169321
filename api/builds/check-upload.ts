import { z } from 'zod';
import { AirlineError, ERRORS, type ErrorCode } from '../../domain/errors.ts';
import { INVALID_PPA, parsePpa } from '../../domain/ppa.ts';
import { FILE_NAME, SOURCE_NAME, SOURCE_VERSION } from '../../domain/source-file.ts';
import type { UploadCheck } from '../../domain/upload-check.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import { answerJson, type ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { bodyOf } from '../rest/resource-routes.ts';
import { archiveText, nameText } from './build-request.ts';

const MAX_PACKAGES = 100;
const MAX_FILES = 1_000;

const checkSchema = z.looseObject({
  ppa: z
    .string()
    .max(300)
    .meta({ description: 'The PPA: ppa:owner/name, ~owner/ubuntu/name or owner/name.' }),
  archive: archiveText.meta({ description: 'The distribution of the PPA.' }),
  series: nameText.meta({ description: 'The series that is built for.' }),
  packages: z
    .array(
      z.looseObject({
        source: z
          .string()
          .regex(SOURCE_NAME)
          .meta({ description: 'The name of the source package.' }),
        version: z.string().max(100).regex(SOURCE_VERSION).meta({ description: 'Its version.' }),
        files: z
          .array(
            z.looseObject({
              name: z.string().regex(FILE_NAME).meta({ description: 'The name of the file.' }),
              sha256: z
                .string()
                .regex(/^[0-9a-f]{64}$/)
                .meta({ description: 'Its SHA-256.' }),
              size: z.int().min(0).optional().meta({ description: 'Its size in bytes.' }),
            }),
          )
          .min(1)
          .max(MAX_FILES)
          .meta({ description: 'The files that the .changes lists.' }),
        signed_by: z
          .string()
          .regex(/^[0-9A-Fa-f]{16,64}$/)
          .nullish()
          .meta({
            description:
              "The issuer's fingerprint in the signature of the .changes; null: not signed; absent: not known.",
          }),
        changed_by: z
          .string()
          .max(300)
          .nullish()
          .meta({ description: 'The e-mail address in Changed-By.' }),
      }),
    )
    .min(1)
    .max(MAX_PACKAGES)
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
            .meta({ description: 'The source package; null where it is about none of them.' }),
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
  errors: ['invalid_field', 'check_unavailable', 'overloaded'],
  handle: answerCheck,
};

async function answerCheck(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const check = readCheck(bodyOf(ctx));
  const { runningChecks, limits } = deps;
  if (runningChecks.count >= limits.uploadChecks)
    throw new AirlineError('overloaded', `${runningChecks.count} uploads are being checked.`);
  runningChecks.count += 1;
  try {
    const problems = await deps.checkUpload(check).catch((cause: unknown) => {
      throw new AirlineError('check_unavailable', 'The PPA could not be asked in time.', { cause });
    });
    answerJson(ctx, 200, { problems });
  } finally {
    runningChecks.count -= 1;
  }
}

/** @throws AirlineError `invalid_field` */
function readCheck(given: Readonly<Record<string, unknown>>): UploadCheck {
  const { data, error } = checkSchema.safeParse(given);
  const fields: Record<string, string[]> = {};
  for (const { path, message } of error?.issues ?? [])
    (fields[String(path[0])] ??= []).push(`${path.join('.')}: ${message}`);
  const ppa = data && parsePpa(data.ppa, data.archive);
  if (data && !ppa) fields['ppa'] = [INVALID_PPA];
  if (!data || !ppa)
    throw new AirlineError('invalid_field', Object.values(fields).flat().join(' '), { fields });
  return {
    ppa,
    series: data.series,
    packages: data.packages.map(({ source, version, files, signed_by, changed_by }) => ({
      source,
      version,
      files: files.map(({ name, sha256 }) => ({ name, sha256 })),
      isSigned: signed_by !== null,
      ...(signed_by ? { signer: { key: signed_by, email: changed_by ?? null } } : {}),
    })),
  };
}
