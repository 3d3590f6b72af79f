import { Problem } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { cooldownAt, cooldownReason } from '../domain/cooldowns.ts';
import type { CooldownStore } from '../ports/cooldown-store.ts';

/**
 * The rejection of a ticket with a player who has a cooldown; undefined when there is none. It reads the record of each player
 * only in a queue with `cooldown`. The response names the player with the longest cooldown, because the whole party waits for it.
 * @returns a Problem (429) with `Retry-After`
 */
export async function coolingDown(
  deps: { readonly cooldowns: Pick<CooldownStore, 'of'> },
  { name, cooldown }: Pick<QueueDefinition, 'name' | 'cooldown'>,
  playerIds: readonly string[],
  nowMs: number,
): Promise<Problem | undefined> {
  if (cooldown === undefined) return undefined;
  const records = await deps.cooldowns.of(name, playerIds);
  const cooling = [...records].flatMap(([playerId, record]) => {
    const found = cooldownAt(cooldown, record, nowMs);
    return found === undefined ? [] : [{ playerId, ...found }];
  });
  const [longest] = cooling.sort((a, b) => b.untilMs - a.untilMs || (a.playerId < b.playerId ? -1 : 1));
  if (longest === undefined) return undefined;
  const { playerId, kind, untilMs } = longest;
  const whom = playerIds.length === 1 ? 'The player' : 'The party';
  return new Problem(
    429,
    `Player ${playerId} ${cooldownReason(longest, nowMs)}. ${whom} can queue again then: post the ticket again after Retry-After.`,
    {
      extensions: { code: 'COOLDOWN', kind, playerId, until: new Date(untilMs).toISOString() },
      headers: { 'retry-after': String(Math.ceil((untilMs - nowMs) / 1_000)) },
    },
  );
}
