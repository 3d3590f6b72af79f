import type { PresenceOptions } from '../../lib/contract/presence.ts';
import { silentAfterMs } from '../../lib/service/domain/presence.ts';
import type { Change } from '../../lib/service/events/publish.ts';

/** What a client has said about itself, in the order of time. */
export interface Presences {
  /** Connections and frames: the function that took one ran from `fromMs` to `untilMs`. */
  readonly signs: { readonly fromMs: number; readonly untilMs: number; readonly isSure: boolean }[];
  /** When its connections ended. */
  readonly ends: number[];
}

/** A function is stopped after this, and the times of changes are in whole seconds. */
const SLACK_MS = 11_000;

/**
 * Nobody who has vanished is in a match later than the silence and the grace after its last sign of life, and nobody is removed
 * before the grace is over. Tickets whose player has never connected count as present, and so does everybody for a ping and the grace after
 * a change of the definition.
 * @param clients by ticket
 * @param changesMs when the definition was changed
 * @param heldUntilMs until then missing pings may have been doubted
 */
export function presenceViolations(
  presence: PresenceOptions,
  clients: ReadonlyMap<string, Presences>,
  changes: readonly Change[],
  changesMs: readonly number[],
  heldUntilMs: number,
): string[] {
  const graceMs = 1_000 * presence.graceSeconds;
  const silentMs = silentAfterMs(presence);
  const found: string[] = [];
  for (const { table, before, after, atMs } of changes) {
    if (table === 'matches' && before === undefined) {
      const createdMs = Date.parse(after.createdAt);
      for (const ticketId of after.ticketIds) {
        const { signs: all = [], ends = [] } = clients.get(ticketId) ?? {};
        const signs = all.filter((one) => one.fromMs <= createdMs + SLACK_MS);
        // One whose function has failed may not have been stored at all.
        if (!signs.some(({ isSure, untilMs }) => isSure && untilMs <= createdMs)) continue;
        // When a connection ends, another one of the player is expected to ping from then on.
        const ended = ends.filter((endMs) => endMs <= createdMs).map((endMs) => endMs + SLACK_MS);
        const changed = changesMs.filter((changeMs) => changeMs <= createdMs).map((ms) => ms + SLACK_MS);
        const lastMs = Math.max(...signs.map(({ untilMs }) => untilMs), ...ended, ...changed);
        if (createdMs > heldUntilMs && createdMs > lastMs + silentMs + graceMs)
          found.push(
            `match ${after.matchId} has ${ticketId}, whose player was last there ${createdMs - lastMs} ms before`,
          );
      }
    }
    if (table === 'tickets' && after.reasonCode === 'PLAYER_LEFT' && before?.status !== after.status) {
      const { signs = [], ends = [] } = clients.get(after.ticketId) ?? {};
      const known = signs.filter(({ isSure, untilMs }) => isSure && untilMs <= atMs - SLACK_MS);
      const lastMs = Math.max(...known.map(({ fromMs }) => fromMs));
      const ended = ends.some((endMs) => endMs >= lastMs && endMs <= atMs + 1_000);
      const soonestMs = lastMs + graceMs + (ended ? 0 : silentMs);
      if (known.length > 0 && atMs + 1_000 < soonestMs)
        found.push(`${after.ticketId} was cancelled ${soonestMs - atMs} ms before its grace was over`);
      if (signs.length === 0)
        found.push(`${after.ticketId} was cancelled although its player has never connected`);
    }
  }
  return found;
}
