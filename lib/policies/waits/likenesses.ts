import type { Ticket } from '../../engine/types.ts';
import type { RuledPlayer } from '../../rules/types.ts';
import { getOrCreate } from '../../vocabulary/get-or-create.ts';

/** A ticket as far as its wait depends on it. */
export type WaitingTicket = Pick<Ticket, 'enqueuedAtMs'> & {
  readonly players: readonly Pick<RuledPlayer, 'skill' | 'roles' | 'latencyMs'>[];
};

/** The upper ends of the ranges of skill that are alike, as shares of the players. */
const SKILL_PARTS = [0.02, 0.1, 0.25, 0.75, 0.9, 0.98];

/**
 * What makes waits alike: the skill, the size, the roles of a single player, the nearest region. Each likeness has a
 * value, which is made once.
 */
export class Likenesses<Value> {
  readonly #part: (skill: number) => number;
  readonly #make: (name: string) => Value;
  readonly #bySkill: Value[] = [];
  readonly #bySize: Value[] = [];
  readonly #byName = new Map<string, Value>();
  readonly #found: Value[] = [];

  /**
   * @param part the share of the queue's players with less skill, in [0, 1]
   * @param make makes the value of a likeness from its name
   */
  constructor(part: (skill: number) => number, make: (name: string) => Value) {
    this.#part = part;
    this.#make = make;
  }

  /** The values of the likenesses of a ticket, two to four. The next call overwrites the array. */
  of({ players }: WaitingTicket): readonly Value[] {
    const size = players.length;
    let skill = 0;
    for (let i = 0; i < size; i++) skill += players[i]!.skill;
    const below = this.#part(skill / size);
    let band = 0;
    while (band < SKILL_PARTS.length && below >= SKILL_PARTS[band]!) band++;
    this.#bySkill[band] ??= this.#make(`skill ${band}`);
    this.#bySize[size] ??= this.#make(`size ${size}`);
    const found = this.#found;
    found.length = 2;
    found[0] = this.#bySkill[band]!;
    found[1] = this.#bySize[size]!;
    const { roles, latencyMs } = players[0]!;
    if (size === 1 && roles !== undefined) found.push(this.#named(`roles ${joined(roles)}`));
    const region = latencyMs === undefined ? undefined : nearestRegion(players);
    if (region !== undefined) found.push(this.#named(`region ${region}`));
    return found;
  }

  #named(name: string): Value {
    return getOrCreate(this.#byName, name, () => this.#make(name));
  }
}

/** The roles in the order of their names. They are few, and mostly in that order. */
function joined(roles: readonly string[]): string {
  if (roles.length === 1) return roles[0]!;
  for (let i = 1; i < roles.length; i++) if (roles[i - 1]! > roles[i]!) return [...roles].sort().join('+');
  return roles.join('+');
}

/** The region with the least latency for its worst player, of those that all players know; of equal ones the first by name. */
function nearestRegion(players: WaitingTicket['players']): string | undefined {
  const { latencyMs: known } = players[0]!;
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const region in known) {
    let worst = known[region]!;
    for (let i = 1; i < players.length; i++)
      worst = Math.max(worst, players[i]!.latencyMs?.[region] ?? Number.POSITIVE_INFINITY);
    if (worst < least || (worst === least && nearest !== undefined && region < nearest)) {
      nearest = region;
      least = worst;
    }
  }
  return nearest;
}
