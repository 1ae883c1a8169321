import type { Middleware } from 'koa';
import type { SourceUrlRule } from '../../domain/access/source-url.ts';
import type { RequestState } from './context.ts';

/**
 * Lets answers show files of the data store by their present address, where rows hold a former one: the file is the
 * same, and the former address leads nowhere now.
 */
export function presentAddresses({
  storeUrl,
  formerStoreUrls = [],
}: SourceUrlRule): Middleware<RequestState> {
  const roots = formerStoreUrls.map((url) => `${url}/`);
  const present = `${storeUrl}/`;
  return (ctx, next) => {
    if (roots.length > 0)
      ctx.state.withPresentAddresses = (json) =>
        roots.reduce((text, root) => text.replaceAll(root, present), json);
    return next();
  };
}
