import type { TicketStatus } from '../../../contract/ticket.ts';

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

/** The way of a ticket or match through its statuses, as a picture. */
export function Way({ stations }: { readonly stations: readonly Station[] }) {
  return (
    <ol class="way">
      {stations.map(({ text, note, state }) => (
        <li key={text} class={`way-${state}`} aria-current={state === 'now' ? 'step' : undefined}>
          <strong>{text}</strong>
          {note !== undefined && <span>{note}</span>}
        </li>
      ))}
    </ol>
  );
}
