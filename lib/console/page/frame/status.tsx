import type { TicketStatus } from '../../../contract/ticket.ts';
import { drawnIn } from '../charts/drawn-in.ts';

const TEXTS: Readonly<Record<TicketStatus, string>> = {
  QUEUED: 'waiting',
  REQUIRES_ACCEPTANCE: 'to be accepted',
  PLACING: 'being placed',
  COMPLETED: 'completed',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timed out',
  FAILED: 'failed',
};

/** A status in words. */
export function statusText(status: TicketStatus): string {
  return TEXTS[status] ?? status;
}

/** A station of a ticket or match on its way. */
export interface Station {
  readonly text: string;
  /** When it was reached, or what is known of it. */
  readonly note?: string | undefined;
  readonly state: 'done' | 'now' | 'ahead' | 'failed';
}

const COLOURS = { done: 'accent', now: 'second', ahead: 'soft', failed: 'bad' } as const;

/** The way of a ticket or match through its statuses, as a picture. */
export function Way({ stations }: { readonly stations: readonly Station[] }) {
  return (
    <ol class="way">
      {stations.map(({ text, note, state }) => (
        <li
          key={text}
          class={state === 'ahead' ? 'ahead' : ''}
          style={drawnIn(COLOURS[state])}
          aria-current={state === 'now' ? 'step' : undefined}
        >
          {state === 'ahead' ? text : <strong>{text}</strong>} <span class="soft small">{note}</span>
        </li>
      ))}
    </ol>
  );
}
