import { z } from 'zod';
import { SCOPES } from '../../domain/access/access.ts';
import {
  MAX_TOKEN_TARGETS,
  PPA_ENTRY,
  QUEUE_PREFIX,
  type TargetRule,
} from '../../domain/access/target-rule.ts';
import { TOKEN_NAME, type AccessToken } from '../../models/service/access-token.ts';
import { answerPage, answerRead, answerWriting } from '../rest/answers.ts';
import { answerJson } from '../http/context.ts';
import { pageMeta } from '../rest/list-query.ts';
import { pageOf, pageParameters } from '../rest/page-parameters.ts';
import { withQuery, type Operation } from '../http/operation.ts';
import { orNotFound, pathId } from '../rest/read-resource.ts';
import { problemsOf, refusal } from '../rest/request-problems.ts';
import { pageSchema } from '../rest/request-schema.ts';
import { bodyOf, idOf } from '../rest/resource-routes.ts';
import { mutationContextOf } from '../rest/request-context.ts';

const LIST = '/api/v1/token/';
/** As errors name it. */
const TOKEN = { name: 'token' };

/** What a token may name: each entry has a form. */
const targetList = (form: RegExp, problem: string) =>
  z
    .array(z.string({ error: problem }).max(300, problem).regex(form, problem), {
      error: 'Enter a list of strings.',
    })
    .max(MAX_TOKEN_TARGETS, `At most ${MAX_TOKEN_TARGETS} entries are taken.`)
    .nullish();

const newToken = z
  .object({
    name: z
      .string({ error: 'Enter a string.' })
      .regex(TOKEN_NAME, 'Enter 1 to 100 of A-Z a-z 0-9 . _ @ -')
      .meta({
        description: 'The actor in every history. Unique among the tokens that are not revoked.',
      }),
    scopes: z
      .array(z.enum(SCOPES, { error: `Enter scopes of ${SCOPES.join(', ')}.` }), {
        error: 'Enter a list of scopes.',
      })
      .min(1, 'Enter at least one scope.')
      .max(SCOPES.length, 'Enter each scope once.')
      .meta({ description: 'What it lets its holder do.' }),
    ppas: targetList(PPA_ENTRY, 'Enter PPAs as ~owner/distribution/name, or ~owner/*.').meta({
      description:
        'The PPAs that it may build in and land in, as ~owner/distribution/name; ~owner/* is all of an owner. Default: all that the server allows.',
    }),
    queue_prefixes: targetList(QUEUE_PREFIX, 'Enter strings of A-Z a-z 0-9 . _ : -').meta({
      description:
        'What the names of progress queues begin with that it may name. Default: all that the server allows.',
    }),
    expires_at: z.iso
      .datetime({ offset: true, error: 'Enter a time as in RFC 3339, with its offset.' })
      .nullish()
      .meta({ description: 'When it expires. Default: AIRLINE_TOKEN_LIFETIME_MS from now.' }),
  })
  .meta({ title: 'token_creation' });

/** What a token may name, as answers show it. */
const allowed = {
  ppas: z.array(z.string()).meta({
    description: 'The PPAs that it may build in and land in; empty: all that the server allows.',
  }),
  queue_prefixes: z.array(z.string()).meta({
    description:
      'What the names of queues begin with that it may name; empty: all that the server allows.',
  }),
};

const tokenSchema = z
  .object({
    id: z.int().meta({ description: 'The id.' }),
    resource_uri: z.string().meta({ description: 'Its address.' }),
    name: z.string().meta({ description: 'Its name, which is the actor of its changes.' }),
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'What it lets its holder do.' }),
    ...allowed,
    created_at: z.iso.datetime().meta({ description: 'When it was added.' }),
    created_by: z.string().meta({ description: 'Who added it.' }),
    expires_at: z.iso.datetime().meta({ description: 'When it ends.' }),
    revoked_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When it was revoked; null: it was not.' }),
    revoked_by: z.string().nullable().meta({ description: 'Who revoked it.' }),
    last_used_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When it was last used; up to a minute behind.' }),
  })
  .meta({ title: 'token' });

const issuedTokenSchema = tokenSchema
  .extend({
    token: z
      .string()
      .meta({ description: 'The token itself, for the caller to send. It is shown only once.' }),
  })
  .meta({ title: 'issued_token' });

const self = z
  .object({
    name: z.string().meta({ description: 'Its name.' }),
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'What the caller may do.' }),
    ...allowed,
    expires_at: z.iso.datetime().nullable().meta({ description: 'When it ends; null: never.' }),
    resource_uri: z
      .string()
      .nullable()
      .meta({ description: 'Its address; null: the caller has none.' }),
  })
  .meta({ title: 'token_self' });

/** The operations on tokens. All need `admin`, which may grant every scope, except the one on the caller itself. */
export const tokenOperations: readonly Operation[] = [
  {
    method: 'get',
    path: `${LIST}self/`,
    summary: 'The caller, its scopes, and when its token expires',
    scope: 'read',
    answers: { 200: { description: 'The caller; nulls without authentication.', schema: self } },
    errors: [],
    handle: async (ctx, { database }) => {
      const { name, scopes, targets } = ctx.state.actor;
      const row = await database.AccessToken.named(name);
      answerRead(ctx, {
        name,
        scopes,
        ...serializeTargets(targets),
        expires_at: row?.expiresAt.toISOString() ?? null,
        resource_uri: row ? uriOf(row) : null,
      });
    },
  },
  withQuery({
    method: 'get',
    path: LIST,
    summary: 'List tokens, revoked ones included',
    scope: 'admin',
    query: pageParameters,
    answers: { 200: { description: 'A page of tokens.', schema: pageSchema(tokenSchema) } },
    errors: ['invalid_field'],
    handle: async (ctx, { database }, query) => {
      const { limit, offset } = pageOf(query);
      const { rows, totalCount } = await database.AccessToken.list({ limit, offset });
      const meta = pageMeta(LIST, ctx.query, { limit, offset }, totalCount);
      answerPage(ctx, { meta, objects: rows.map(serializeToken) });
    },
  }),
  {
    method: 'post',
    path: LIST,
    summary: 'Issue a token',
    scope: 'admin',
    body: newToken,
    answers: { 201: { description: 'The token, with its text.', schema: issuedTokenSchema } },
    errors: ['invalid_field', 'conflict', 'secret_not_repeated'],
    handle: async (ctx, deps) => {
      const { name, scopes, ppas, queue_prefixes, expires_at } = readNewToken(bodyOf(ctx));
      const { text, row } = await deps.database.AccessToken.issue(
        {
          name,
          scopes,
          targets: { ppas: ppas ?? [], queuePrefixes: queue_prefixes ?? [] },
          expiresAt: expires_at ? new Date(expires_at) : undefined,
        },
        deps.limits.tokenLifetimes,
        mutationContextOf(ctx),
        deps.now(),
      );
      ctx.state
        .logger()
        .info(
          { tokenId: row.id, tokenName: row.name, scopes: row.scopes, by: row.createdBy },
          'token issued',
        );
      ctx.set('Location', uriOf(row));
      ctx.set('Cache-Control', 'no-store');
      answerJson(ctx, 201, { ...serializeToken(row), token: text });
    },
  },
  {
    method: 'get',
    path: `${LIST}{id}/`,
    summary: 'Read a token, without its text',
    scope: 'admin',
    answers: { 200: { description: 'The token.', schema: tokenSchema } },
    errors: ['not_found'],
    handle: async (ctx, { database }) => {
      const id = pathId(TOKEN, idOf(ctx));
      const row = await database.AccessToken.findByPk(id);
      answerRead(ctx, serializeToken(orNotFound(row, TOKEN, id)));
    },
  },
  {
    method: 'post',
    path: `${LIST}{id}/revoke/`,
    summary: 'Revoke a token at once; again changes nothing',
    scope: 'admin',
    answers: { 202: { description: 'The token, revoked.', schema: tokenSchema } },
    errors: ['not_found'],
    handle: async (ctx, { database, now }) => {
      const id = pathId(TOKEN, idOf(ctx));
      const revoked = await database.AccessToken.revoke(id, mutationContextOf(ctx), now());
      const row = orNotFound(revoked, TOKEN, id);
      const by = ctx.state.actor.name;
      ctx.state.logger().info({ tokenId: row.id, tokenName: row.name, by }, 'token revoked');
      answerWriting(ctx, 202, () => serializeToken(row));
    },
  },
];

/** @throws AirlineError `invalid_field` with `fields` */
function readNewToken(given: Readonly<Record<string, unknown>>): z.infer<typeof newToken> {
  const { data, error } = newToken.safeParse(given);
  if (!data) throw refusal(problemsOf(error, given));
  return data;
}

/** A token as answers show it, without its text. */
export function serializeToken(row: AccessToken): z.infer<typeof tokenSchema> {
  return {
    id: row.id,
    resource_uri: uriOf(row),
    name: row.name,
    scopes: row.scopes,
    ...serializeTargets(row),
    created_at: row.createdAt.toISOString(),
    created_by: row.createdBy,
    expires_at: row.expiresAt.toISOString(),
    revoked_at: row.revokedAt?.toISOString() ?? null,
    revoked_by: row.revokedBy ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  };
}

function serializeTargets({ ppas, queuePrefixes }: TargetRule) {
  return { ppas: [...ppas], queue_prefixes: [...queuePrefixes] };
}

function uriOf({ id }: { readonly id: number }): string {
  return `${LIST}${id}/`;
}
