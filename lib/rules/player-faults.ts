import { valueFault } from './attribute-faults.ts';
import type { RuleFault } from './rule-type.ts';
import type { RulesDefinition } from './rule-types.ts';
import type { RuledPlayer } from './types.ts';

/** The readable part of a player. */
export interface SomePlayer extends Pick<RuledPlayer, 'attributes' | 'latencyMs' | 'avoid'> {
  readonly playerId?: string | undefined;
}

/**
 * The faults of a ticket's players: attributes and latencies that the queue's rules need and that are missing, unknown or
 * invalid. Paths begin with the player's index.
 */
export function playerFaults(
  players: readonly SomePlayer[],
  { attributes = {}, rules = [] }: RulesDefinition,
): RuleFault[] {
  const needsLatency = rules.find(({ type }) => type === 'latency');
  return players.flatMap((player, i): RuleFault[] => {
    const faults: RuleFault[] = [];
    const own = player.attributes ?? {};
    for (const [name, value] of Object.entries(own)) {
      const path = [i, 'attributes', name];
      if (!Object.hasOwn(attributes, name)) {
        const known = Object.keys(attributes).join(', ') || 'none: this queue has no attributes';
        faults.push({ path, message: `Expected an attribute of this queue (${known}), got ${name}` });
        continue;
      }
      const fault = valueFault(value, attributes[name]);
      if (fault !== undefined) faults.push({ path, message: fault });
    }
    for (const [name, { type, default: fallback }] of Object.entries(attributes)) {
      if (fallback !== undefined || Object.hasOwn(own, name)) continue;
      const article = type === 'strings' ? 'a list of texts' : type === 'number' ? 'a number' : 'text';
      faults.push({
        path: [i, 'attributes', name],
        message: `Expected ${article}, got nothing: this attribute has no default`,
      });
    }
    if (needsLatency && Object.keys(player.latencyMs ?? {}).length === 0) {
      faults.push({
        path: [i, 'latencyMs'],
        message: `Expected the latency to at least one region, got none: rule ${needsLatency.name} needs it`,
      });
    }
    const mate = player.avoid?.find((id) => players.some(({ playerId }) => playerId === id));
    if (mate !== undefined) {
      faults.push({
        path: [i, 'avoid'],
        message: `Expected players of other tickets, got ${mate}, who is in this ticket`,
      });
    }
    return faults;
  });
}
