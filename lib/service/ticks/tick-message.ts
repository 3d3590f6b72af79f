/** One tick of one range, as it travels. */
export interface TickMessage {
  readonly queue: string;
  /** When it is due, milliseconds since the epoch, a multiple of tickSeconds. */
  readonly slotMs: number;
  /** The plan whose ranges are meant. */
  readonly plan: number;
  /** Index of the range in `tickRanges` of that plan and slot. */
  readonly range: number;
}
