import type { ComponentChildren } from 'preact';

export interface TableProps {
  /** The names of the columns, that of the first one included. */
  readonly head: readonly string[];
  /** Each row begins with its name. */
  readonly rows: readonly (readonly [name: string, ...cells: ComponentChildren[]])[];
  readonly class?: string;
}

/** A table of numbers. */
export function Table({ head, rows, class: kind }: TableProps) {
  return (
    <table class={kind}>
      <thead>
        <tr>
          {head.map((name) =>
            name === '' ? (
              <td key={name} />
            ) : (
              <th key={name} scope="col">
                {name}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...cells]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {cells.map((cell, at) => (
              <td key={at} class="number">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
