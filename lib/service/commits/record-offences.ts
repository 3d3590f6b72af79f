import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import { cooldownAt, forgetMs, type Offence } from '../domain/cooldowns.ts';
import type { CooldownStore } from '../ports/cooldown-store.ts';
import type { OutcomeStore } from '../ports/outcome-store.ts';

export interface OffenceDeps {
  readonly cooldowns: Pick<CooldownStore, 'add'>;
  readonly outcomes: Pick<OutcomeStore, 'add'>;
}

/** The maximum of players whose offences are written concurrently. */
const PLAYERS_AT_ONCE = 16;

/**
 * Records offences of players in a match, if the queue has cooldowns for them; otherwise it reads and writes nothing. A cooldown
 * follows from the offences and the definition at the time of a request: see `domain/cooldowns.ts`.
 *
 *     record   one conditional write for each player, which names the match, so a repetition finds it. A crash between two: a
 *              repeated request, or `deadline`, records the others
 *     count    the cooldowns that began, for the statistics. A crash before it: they are not counted
 */
export async function recordOffences(
  deps: OffenceDeps,
  { name, cooldown }: Pick<QueueDefinition, 'name' | 'cooldown'>,
  offence: Offence,
  playerIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const { kind, atMs } = offence;
  if (cooldown?.[kind] === undefined) return;
  const keptMs = forgetMs(cooldown);
  const records = await inParallel([...new Set(playerIds)], PLAYERS_AT_ONCE, (playerId) =>
    deps.cooldowns.add(name, playerId, offence, keptMs),
  );
  const begun = records.filter((record) => record && cooldownAt(cooldown, record, atMs)?.kind === kind);
  if (begun.length === 0) return;
  await deps.outcomes.add(name, { [COUNTED[kind]]: begun.length }, nowMs);
}

const COUNTED = { decline: 'cooledForDecline', leave: 'cooledForLeave' } as const;
