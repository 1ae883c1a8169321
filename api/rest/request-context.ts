import { AirlineError } from '../../domain/errors.ts';
import type { MutationContext } from '../../models/sql/mutation-context.ts';
import type { ApiContext } from '../http/context.ts';
import { integer } from './field-values.ts';
import { reasonSchema } from './request-schema.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * On whose behalf a request changes something, why, and on which condition (`If-Match`).
 *
 * @param body of an operation whose `reason` the history keeps
 * @throws AirlineError `invalid_field` if `reason` is not a text
 */
export function mutationContextOf(ctx: ApiContext, body: Body = {}): MutationContext {
  const { actor, requestId, transaction } = ctx.state;
  return {
    actor: actor.name,
    requestId,
    transaction,
    reason: reasonIn(body),
    ...revisionsOf(ctx.get('If-Match')),
  };
}

/** What a PUT may do: `If-Match` asks for a row that is there, `If-None-Match: *` for none (RFC 9110, 13.1). */
export function putModeOf(ctx: ApiContext): 'change' | 'creation' | undefined {
  if (ctx.get('If-Match') !== '') return 'change';
  return ctx.get('If-None-Match').trim() === '*' ? 'creation' : undefined;
}

/**
 * The revisions that an If-Match header names, in an ETag of any form or by themselves; none: any. A weak ETag never
 * matches (RFC 9110, 13.1.1).
 */
function revisionsOf(header: string): Pick<MutationContext, 'ifRevision' | 'weakRevisions'> {
  const tags = header.split(',').map((tag) => tag.trim());
  if (header === '' || tags.includes('*')) return {};
  const named = (pattern: RegExp) =>
    tags
      .map((tag) => integer(pattern.exec(tag)?.[1] ?? ''))
      .filter((revision) => revision !== undefined);
  return {
    ifRevision: named(/^"(\d+)(?:-[\w-]+)?"$/),
    weakRevisions: named(/^W\/"(\d+)(?:-[\w-]+)?"$/),
  };
}

/** Why a body says that it makes its change. @throws AirlineError `invalid_field` if that is not a text */
export function reasonIn({ reason }: Body): string | undefined {
  const { data, error } = reasonSchema.safeParse(reason);
  if (!error) return data ?? undefined;
  const message = error.issues[0]?.message ?? '';
  throw new AirlineError('invalid_field', message, { fields: { reason: [message] } });
}
