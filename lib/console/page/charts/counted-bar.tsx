import { Bar } from './bar.tsx';

export interface CountedBarProps {
  readonly text: string;
  readonly value: string;
  /** The length of the bar, as a part of the longest one. @default no bar */
  readonly part?: number | undefined;
}

/** An item of a list: a text with its value, and below them a bar. */
export function CountedBar({ text, value, part }: CountedBarProps) {
  return (
    <li>
      <p class="row spread">
        <span class="player">{text}</span> <span class="soft">{value}</span>
      </p>
      {part !== undefined && (
        <Bar
          height={6}
          stretches={[
            { from: 0, to: 1, colour: 'line', thickness: 6 },
            { from: 0, to: part, colour: 'accent', thickness: 6 },
          ]}
        />
      )}
    </li>
  );
}
