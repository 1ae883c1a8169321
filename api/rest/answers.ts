import { allows } from '../../domain/access/access.ts';
import type { Row } from '../../models/sql/query.ts';
import { notMatched } from '../../models/sql/stored-model.ts';
import type { ResourceDependencies } from '../dependencies.ts';
import { contentEtag } from '../http/content-etag.ts';
import { answerJson, answerMinimal, jsonOf, type ApiContext } from '../http/context.ts';
import { hasAlready } from '../http/if-none-match.ts';
import { preference } from '../http/preference.ts';
import type { Meta } from './list-query.ts';
import type { Resource } from './resource.ts';

const prefersMinimal = preference('return', 'minimal');

/**
 * Answers a read with its body; 304 where the caller has it already.
 *
 * @param etag of a row that counts its revisions; absent: that of the body
 */
export function answerRead(ctx: ApiContext, body: unknown, etag?: string): void {
  answerJson(ctx, 200, body);
  ctx.res.setHeader('ETag', etag ?? contentEtag(ctx.body as string));
  if (!hasAlready(ctx)) return;
  // A row keeps its revision where the data store has moved, and is shown with another address.
  const isAsStored = etag === undefined || ctx.body === JSON.stringify(body);
  if (isAsStored) ctx.status = 304;
}

/**
 * Asserts that what a request is to change is what its caller has read: that `If-Match`, where there is one, names the
 * ETag that a read of it has now.
 *
 * @param body of a row that counts no revisions, locked until it is changed
 * @throws AirlineError `precondition_failed`
 */
export function assertMatched(ctx: ApiContext, body: unknown): void {
  if (ctx.get('If-Match') !== '') assertEtagMatched(ctx, contentEtag(jsonOf(ctx, body)));
}

/**
 * Asserts that `If-Match`, where there is one, names an ETag (RFC 9110, 13.1.1).
 *
 * @param etag a strong one
 * @throws AirlineError `precondition_failed`
 */
export function assertEtagMatched(ctx: ApiContext, etag: string): void {
  const given = ctx.get('If-Match');
  const tags = given.split(',').map((tag) => tag.trim());
  if (given === '' || tags.includes('*') || tags.includes(etag)) return;
  throw notMatched(`Its ETag is ${etag}`, tags.includes(`W/${etag}`));
}

/** Many programs, and proxies, refuse an answer whose headers have more than 4 to 16 KiB. */
const MAX_LINK_LENGTH = 2_048;

/** Answers with a page of a list; its neighbours are in a Link header as well (RFC 8288) unless it gets too long. */
export function answerPage(
  ctx: ApiContext,
  page: { meta: Meta; objects: readonly unknown[] },
): void {
  const links = (['next', 'previous'] as const).flatMap((name) => {
    const target = page.meta[name];
    return target === null ? [] : [`<${target}>; rel="${name === 'next' ? 'next' : 'prev'}"`];
  });
  const link = links.join(', ');
  if (link !== '' && link.length <= MAX_LINK_LENGTH) ctx.set('Link', link);
  answerRead(ctx, page);
}

/** Answers a read with one resource. */
export function answerResource(
  ctx: ApiContext,
  deps: ResourceDependencies,
  resource: Resource,
  row: Row,
): void {
  answerRead(ctx, resource.serialize(row, deps), etagOf(resource, row));
}

/**
 * Answers a write with the resource as it is now, or with nothing, as `answerWriting` says.
 *
 * @param options.isNew the request has made it
 */
export function answerWritten(
  ctx: ApiContext,
  deps: ResourceDependencies,
  status: number,
  resource: Resource,
  row: Row,
  { isNew = status === 201 } = {},
): void {
  const etag = etagOf(resource, row);
  if (etag !== undefined) ctx.res.setHeader('ETag', etag);
  if (status === 201) ctx.set('Location', resource.uriOf(row['id'] as number));
  answerWriting(ctx, status, () => resource.serialize(row, deps), { needsRead: !isNew });
}

/**
 * Answers a write with a body, or with nothing where the caller prefers that (RFC 7240). A caller who may not read
 * is told only that what was there is changed: else a change of nothing would show everything.
 *
 * @param options.needsRead not of what the request has made, nor of what the scope that it needs may read
 */
export function answerWriting(
  ctx: ApiContext,
  status: number,
  body: () => unknown,
  { needsRead = status !== 201 } = {},
): void {
  if (!showsBody(ctx, { needsRead })) return answerMinimal(ctx, status);
  ctx.state.answerNeedsRead = needsRead;
  answerJson(ctx, status, body());
}

/** Whether `answerWriting` answers with a body. */
export function showsBody(ctx: ApiContext, { needsRead = true } = {}): boolean {
  const mayBeShown = !needsRead || allows(ctx.state.actor, 'read');
  return mayBeShown && !prefersMinimal(ctx);
}

/**
 * The ETag of a row that counts its revisions begins with that of now: it can be compared in the statement that changes
 * the row. The form is for reads alone: another version of Airline may show the same revision with other fields.
 */
function etagOf({ form }: Resource, row: Row): string | undefined {
  const revision = row['revision'] as number | undefined;
  return revision === undefined ? undefined : `"${revision}-${form}"`;
}
