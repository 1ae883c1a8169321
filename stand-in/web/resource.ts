import type { Entry } from './entry-maker.ts';
import { pageOf } from './collection.ts';
import type { Parameters } from './parameters.ts';

export type ResourceRequest = {
  url: URL;
  parameters: Parameters;
  /** The OAuth token that it came with; empty where there is none. */
  token: string;
  /** What a script does to the collection that is asked for. */
  paging?: { pageSize?: number | undefined; hideFirst?: number | undefined };
};
type Handler = (request: ResourceRequest) => unknown;

/** What an address of the web service stands for. */
export type Resource = {
  /** The resource itself; an entry is answered with its ETag. */
  read: Handler;
  isEntry: boolean;
  /** What its page for people shows of the log of a build; undefined where it is nothing now. */
  logTail?: () => string | undefined;
  /** Named operations, by the value of `ws.op`. Undefined as an answer is a 404. */
  get: Readonly<Record<string, Handler>>;
  /** These change something, so they need a token. */
  post: Readonly<Record<string, Handler>>;
};

/** An address that Launchpad redirects to another, of a path below the version. */
export type Redirect = { redirectTo: string };

/** A resource that is one thing. */
export function entryResource(
  read: () => Entry,
  get: Resource['get'] = {},
  post: Resource['post'] = {},
): Resource {
  return { read, isEntry: true, get, post };
}

/** A resource that is a document or a collection. */
export function plainResource(read: Handler, get: Resource['get'] = {}): Resource {
  return { read, isEntry: false, get, post: {} };
}

/** A page of a collection. */
export function page<Row>(
  { url, parameters, paging }: ResourceRequest,
  records: readonly Row[],
  toEntry: (record: Row) => unknown,
): number | Record<string, unknown> {
  return pageOf(records.slice(paging?.hideFirst ?? 0), toEntry, url, parameters, paging?.pageSize);
}
