import type { CooldownRecord, Offence } from '../domain/cooldowns.ts';

/** Stores the offences of players, from which their cooldowns follow. */
export interface CooldownStore {
  /** The records of players, by player. Players without one are omitted. */
  of(queue: string, playerIds: readonly string[]): Promise<ReadonlyMap<string, CooldownRecord>>;
  /**
   * Adds an offence to the record of a player. Returns the record, or undefined if it has the offence already.
   * @param keptMs the store keeps the offence for at least this long
   * @throws StoreBusy when other writers keep changing the record; then nothing has changed
   */
  add(queue: string, playerId: string, offence: Offence, keptMs: number): Promise<CooldownRecord | undefined>;
  /** Offences of a player up to now no longer count. */
  forgive(queue: string, playerId: string, nowMs: number, keptMs: number): Promise<void>;
  /** The records of the players with the latest offences, the latest first. */
  latest(
    queue: string,
    limit: number,
  ): Promise<readonly { readonly playerId: string; readonly record: CooldownRecord }[]>;
}
