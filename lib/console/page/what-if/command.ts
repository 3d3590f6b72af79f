import { ALL_TRAFFIC_OPTIONS, type TrafficOptions } from '../../../simulation/traffic-options.ts';

/** The command that plays the same players: every option that is given. */
export function commandOf(options: TrafficOptions): string {
  const given = ALL_TRAFFIC_OPTIONS.flatMap(([name, { flags }]) => {
    const value = options[name];
    return value === undefined ? [] : [`${flags.split(' ')[0]} ${quoted(value)}`];
  });
  return [
    'npx muster simulate --queue definition.json',
    ...given,
    `--seed ${quoted(options.seed)}`,
    '--json',
  ].join(' ');
}

/** A word of a shell. */
function quoted(text: string): string {
  return /^[\w:=,.+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
