import { LRUCache } from 'lru-cache';
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
  const kept = new LRUCache<string, number>({ max: MAX_KEPT, ttl: FRESH_MS });
  const keyOf = (text: string, bind: readonly unknown[]) => JSON.stringify([text, bind]);
  return {
    wasAsked: (text, bind) => kept.has(keyOf(text, bind)),
    async ask(text, bind) {
      const key = keyOf(text, bind);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const [plan] = await query<{ 'QUERY PLAN': readonly [{ Plan: { 'Plan Rows': number } }] }>(
        sequelize,
        `EXPLAIN (FORMAT JSON) ${text}`,
        bind,
      );
      const rows = plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
      kept.set(key, rows);
      return rows;
    },
  };
}
