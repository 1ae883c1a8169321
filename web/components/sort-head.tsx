import { Icon } from './icon.tsx';

/**
 * The head of a column, which sorts by it where the list can be.
 *
 * @param order the name of the order; undefined where there is none
 * @param firstDown whether the greatest come first when it is pressed first
 * @param isOneWay whether they come in that order only, however often it is pressed
 * @param by the order of the list: with - before it where the greatest are first
 */
export function SortHead({
  name,
  order,
  firstDown = false,
  isOneWay = false,
  by,
  addressOf,
}: {
  name: string;
  order: string | undefined;
  firstDown?: boolean;
  isOneWay?: boolean;
  by: string;
  addressOf: (order: string) => string;
}) {
  if (order === undefined) return <th scope="col">{name}</th>;
  const isUp = by === order;
  const isDown = by === `-${order}`;
  const isFirst = !isUp && !isDown;
  const next = isFirst || isOneWay ? firstDown : isUp;
  return (
    <th scope="col" aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}>
      <a href={addressOf(next ? `-${order}` : order)}>
        {name}
        {!isFirst && <Icon name={isUp ? 'up' : 'down'} size={12} />}
      </a>
    </th>
  );
}
