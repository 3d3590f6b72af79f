/** Formats a duration with three digits and a suitable unit: `45 s`, `6.7 min`, `1.5 h`. NaN (nothing measured) is a dash. */
export function durationText(seconds: number): string {
  if (Number.isNaN(seconds)) return '–';
  const [unit, length] = UNITS.find(([, , from]) => seconds >= from) ?? SECOND;
  return `${Number((seconds / length).toPrecision(3))} ${unit}`;
}

const SECOND = ['s', 1, 0] as const;
/** A unit is used from two of it on, so that 90 s do not become 1.5 min. */
const UNITS = [['h', 3600, 7200], ['min', 60, 120], SECOND] as const;
