import type { ComponentChildren } from 'preact';

/** The head of a table, with the names of its columns. */
export function TableHead({ columns }: { columns: readonly ComponentChildren[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column, at) => (
          <th key={at} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
  );
}
