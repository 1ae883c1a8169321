import { useEffect, useRef, useState } from 'preact/hooks';
import { knownRows } from './known-rows.ts';
import { isAfterUserAction } from '../user-action.ts';

/**
 * The rows of a part of a page, so that they do not move under the reader's eyes: what is shown changes in its place,
 * and rows that came wait until they are asked for. They show at once where there were none, and where the reader has
 * just done something. A row that is gone stays until then.
 *
 * @param of what the rows are of: those of another one are shown at once, in place of all others
 * @returns `held`: the rows to show; `newCount`: how many wait, which `showNew` shows
 */
export function useStableRows<R>(
  rows: readonly R[],
  keyOf: (row: R) => string | number,
  of?: string,
): { held: readonly R[]; newCount: number; showNew: () => void } {
  const keys = rows.map(keyOf);
  const [shown, setShown] = useState({ of, keys });
  const known = useRef<ReadonlyMap<string | number, R>>(new Map());
  const isOther = shown.of !== of;
  known.current = knownRows(known.current, shown.keys, rows, keyOf);
  const showNew = () => setShown({ of, keys });
  const count = keys.filter((key) => !shown.keys.includes(key)).length;
  const isAtOnce = isOther || (count > 0 && (shown.keys.length === 0 || isAfterUserAction()));

  useEffect(() => {
    if (isAtOnce) showNew();
  });

  const held = (isOther ? keys : shown.keys).flatMap((key) => known.current.get(key) ?? []);
  return { held, newCount: isAtOnce ? 0 : count, showNew };
}
