import type { Sequelize } from 'sequelize';
import { query } from './query.ts';

/** The rows of a list are counted so far; to count on would take longer than to read the page. */
export const MAX_COUNTED = 10_000;

/** An estimate is that of the last minute: what is read for it changes more slowly. */
const FRESH_MS = 60_000;
/** Callers choose the filters. */
const MAX_KEPT = 1_000;

/** What PostgreSQL's planner says of how many rows a query gives, without reading them. */
export type RowEstimates = {
  /** Asks, at most once a minute for each query with its values. */
  ask(text: string, bind: readonly unknown[]): Promise<number>;
  /** Whether it was asked in the last minute: there were too many rows to count. */
  wasAsked(text: string, bind: readonly unknown[]): boolean;
};

/** Makes the estimates of a database. */
export function createRowEstimates(sequelize: Sequelize): RowEstimates {
  const kept = new Map<string, { readonly atMs: number; readonly rows: number }>();
  const fresh = (key: string) => {
    const known = kept.get(key);
    return known && Date.now() - known.atMs < FRESH_MS ? known.rows : undefined;
  };
  const keyOf = (text: string, bind: readonly unknown[]) => JSON.stringify([text, bind]);
  return {
    wasAsked: (text, bind) => fresh(keyOf(text, bind)) !== undefined,
    async ask(text, bind) {
      const key = keyOf(text, bind);
      const known = fresh(key);
      if (known !== undefined) return known;
      const [plan] = await query<{ 'QUERY PLAN': readonly [{ Plan: { 'Plan Rows': number } }] }>(
        sequelize,
        `EXPLAIN (FORMAT JSON) ${text}`,
        bind,
      );
      const rows = plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(key, { atMs: Date.now(), rows });
      return rows;
    },
  };
}
