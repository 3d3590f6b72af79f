import { type Teams, teamKindsOf } from '../contract/team-kinds.ts';

/** The teams of a queue in a few words: "5 against 5", "3 teams of 4", "1 killer against 4 survivors", "12 on their own". */
export function teamsText(definition: Teams): string {
  const kinds = teamKindsOf(definition);
  const [first] = kinds;
  if (first!.name !== undefined)
    return kinds
      .map(({ name, size, count }) => `${count > 1 ? `${count} × ` : ''}${size} ${name}`)
      .join(' against ');
  const { size, count } = first!;
  if (count === 2) return `${size} against ${size}`;
  return size === 1 ? `${count} on their own` : `${count} teams of ${size}`;
}
