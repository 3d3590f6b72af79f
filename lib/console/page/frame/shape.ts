import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import { teamKindsOf } from '../../../contract/team-kinds.ts';

/** The teams of a queue in a few words: `5 v 5`, `4 teams of 3`, `1 killer v 4 survivors`. */
export function shapeText(definition: QueueDefinition): string {
  const kinds = teamKindsOf(definition);
  const [first] = kinds;
  if (kinds.length === 1 && first !== undefined) {
    if (first.count === 2) return `${first.size} v ${first.size}`;
    if (first.count === 1) return `one team of ${first.size}`;
    return first.size === 1
      ? `${first.count} players, free for all`
      : `${first.count} teams of ${first.size}`;
  }
  return kinds
    .map(({ name, size, count }) => `${count === 1 ? '' : `${count} × `}${size} ${name ?? ''}`.trim())
    .join(' v ');
}
