import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import { logName } from '../../domain/builds/log-name.ts';
import { TAIL_PROBLEMS, type TailProblem } from '../../domain/builds/log-tail.ts';
import type { ArchitectureBuild } from '../../domain/builds/progress.ts';
import { fileNameOfUrl } from '../../domain/packages/source-file.ts';
import { readTail, wantTail } from '../../models/builds/log-tail.ts';
import { withQuery } from '../http/operation.ts';
import { answerRead } from '../rest/answers.ts';
import { NOT_STORED, STORABLE } from '../rest/field-values.ts';
import { readOne } from '../rest/read-resource.ts';
import { idOf } from '../rest/resource-routes.ts';
import { build } from '../resources/build.ts';

/** A page that is open asks again sooner; one that was closed does not keep the workers busy. */
const WANTED_MS = 20_000;

const nameOf = (name: string, description: string) =>
  z
    .string({ error: `Name the ${name}.` })
    .min(1, `Name the ${name}.`)
    .max(255, `${name}: Enter at most 255 characters.`)
    .regex(STORABLE, `${name}: ${NOT_STORED}`)
    .meta({ description });

const tailSchema = z
  .object({
    attempt: z.int().meta({ description: 'The attempt of the build; always the latest.' }),
    package: z.string().meta({ description: 'The source package.' }),
    architecture: z.string().meta({ description: 'The architecture.' }),
    state: z.enum(['waiting', 'building', 'ended']).meta({
      description: 'Whether its log is still to come, is being written, or has ended.',
    }),
    text: z.string().meta({
      description:
        'The last of what has come since somebody began to look, at most 65,536 characters; empty where there is nothing yet.',
    }),
    end: z.int().min(0).meta({
      description:
        'How many characters of the log have been read so far. If a later answer has a larger number, that many more characters at its end are new.',
    }),
    as_of: z.iso.datetime().nullable().meta({
      description: 'When the PPA showed the end of the text; null where there is none.',
    }),
    problem: z
      .object({
        code: z
          .enum(Object.keys(TAIL_PROBLEMS) as TailProblem[])
          .meta({ description: 'What kind of problem it is.' }),
        message: z.string().meta({ description: 'Why the PPA shows no more now.' }),
      })
      .nullable()
      .meta({ description: 'What keeps the text from growing; null where nothing does.' }),
    log: z.string().nullable().meta({
      description: 'The URL of the whole log; null before it is collected.',
    }),
  })
  .meta({ title: 'log_tail' });

/** The end of a log that is being written. */
export const logTailOperation = withQuery({
  method: 'get',
  path: '/api/v1/build/{id}/log_tail/',
  summary: "The end of a package's build log while it is written",
  scope: 'read',
  query: z.object({
    package: nameOf('package', 'The source package.'),
    architecture: nameOf('architecture', 'The architecture.'),
  }),
  answers: {
    200: {
      description:
        'What has come so far. Asking makes the workers read on for 20 s; ask again every few seconds to follow.',
      schema: tailSchema,
    },
  },
  errors: ['not_found', 'invalid_field'],
  handle: async (ctx, { database }, { package: name, architecture }) => {
    const row = await readOne(database, build, idOf(ctx));
    const one = (row['architectureBuilds'] as ArchitectureBuild[]).find(
      (other) => other.package === name && other.architecture === architecture,
    );
    if (!one)
      throw new AirlineError(
        'not_found',
        `The PPA has no build of ${name} on ${architecture} in build ${String(row['id'])}.`,
      );
    const attempt = row['attempt'] as number;
    const of = { buildId: row['id'] as number, attempt, package: name, architecture };
    const state = stateOf(one, row['finishedAt'] !== null);
    if (state === 'building')
      await wantTail(database.sequelize, { ...of, pageUrl: one.web_link }, WANTED_MS);
    const tail = await readTail(database.sequelize, of);
    const problem = state === 'building' ? (tail?.problem ?? null) : null;
    answerRead(ctx, {
      attempt,
      package: name,
      architecture,
      state,
      text: tail?.text ?? '',
      end: tail?.end ?? 0,
      as_of: tail?.seenAt?.toISOString() ?? null,
      problem: problem && { code: problem, message: TAIL_PROBLEMS[problem] },
      log: logOf(row['logs'] as string[], one),
    });
  },
});

function stateOf({ state }: ArchitectureBuild, hasEnded: boolean) {
  if (hasEnded || state === 'completed' || state === 'failed') return 'ended';
  return state === 'building' ? 'building' : 'waiting';
}

function logOf(logs: readonly string[], one: ArchitectureBuild): string | null {
  const name = logName(one, 'build');
  return logs.find((url) => fileNameOfUrl(url) === name) ?? null;
}
