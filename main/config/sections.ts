import { access } from './sections/access.ts';
import { addresses } from './sections/addresses.ts';
import { api } from './sections/api.ts';
import { build } from './sections/build.ts';
import { dispatch } from './sections/dispatch.ts';
import { events } from './sections/events.ts';
import { landing } from './sections/landing.ts';
import { pool } from './sections/pool.ts';
import { ports } from './sections/ports.ts';
import { ppa } from './sections/ppa.ts';
import { sources } from './sections/sources.ts';
import { stack } from './sections/stack.ts';
import { standIn } from './sections/stand-in.ts';
import { store } from './sections/store.ts';
import { tester } from './sections/tester.ts';
import { tls } from './sections/tls.ts';
import { tickets } from './sections/tickets.ts';
import { webhooks } from './sections/webhooks.ts';
import { worker } from './sections/worker.ts';
import type { Section, Setting } from './setting.ts';

/** Every variable that Airline reads, in the order of docs/configuration.md. */
export const SECTIONS = [
  stack,
  addresses,
  tls,
  ports,
  standIn,
  store,
  api,
  access,
  tickets,
  events,
  dispatch,
  sources,
  ppa,
  build,
  landing,
  pool,
  worker,
  tester,
  webhooks,
] as const;

/** A setting, and the place of its value in the configuration. */
export type Placed = { path: readonly string[]; setting: Setting };

/** The settings of a section in the order of their declaration. */
export function settingsOf({ settings }: Section<unknown>): Placed[] {
  return placed(settings as object, []);
}

function placed(node: object, path: readonly string[]): Placed[] {
  return 'schema' in node
    ? [{ path, setting: node as Setting }]
    : Object.entries(node).flatMap(([key, child]) => placed(child as object, [...path, key]));
}

/** What the sections come to: the parts that several of them have are merged. */
export type Values = ValuesOf<Merged<(typeof SECTIONS)[number]['settings']>>;

type ValuesOf<Node> =
  Node extends Setting<infer Value> ? Value : { readonly [Key in keyof Node]: ValuesOf<Node[Key]> };

type Merged<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  part: infer All,
) => void
  ? All
  : never;
