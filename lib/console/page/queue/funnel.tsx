import type { QueueStats } from '../../../contract/queue-stats.ts';
import { CountedBar } from '../charts/counted-bar.tsx';
import { acceptanceLosses, placementLosses, ticketLosses } from '../data/health.ts';
import { clockText, countText, numberText } from '../format.ts';

/** A step on the way from the ticket to the game. */
interface Step {
  readonly name: string;
  /** Those that have come to the end of this step, and those of them that have passed it. */
  readonly of: number;
  readonly passed: number;
  readonly what: string;
  readonly lost: readonly string[];
}

/** From the posted ticket to the game: what passed each step, what was lost and why. */
export function Funnel({ outcomes }: { readonly outcomes: QueueStats['outcomes'] }) {
  // A service of an earlier version does not count them.
  const { returned = 0, vanished = 0 } = outcomes.tickets as Partial<QueueStats['outcomes']['tickets']>;
  return (
    <section class="card stack" aria-labelledby="funnel-title">
      <h2 id="funnel-title">From the ticket to the game</h2>
      <ul class="stack">
        {stepsOf(outcomes).map(({ name, of, passed, what, lost }) => (
          <CountedBar
            key={name}
            text={`${name}${lost.length === 0 ? '' : `; lost: ${lost.join(', ')}`}`}
            value={of === 0 ? `no ${what} yet` : `${numberText(passed)} of ${numberText(of)} ${what}`}
            part={of === 0 ? undefined : passed / of}
          />
        ))}
      </ul>
      <p class="soft small">
        Since {clockText(Date.parse(outcomes.since))}.{' '}
        {returned > 0 &&
          `${countText(returned, 'ticket has', 'tickets have')} returned from matches that failed, and ${returned === 1 ? 'counts' : 'count'} again. `}
        {vanished > 0 &&
          `${countText(vanished, 'ticket was', 'tickets were')} cancelled because a player had left. `}
        A step counts what has come to its end.
      </p>
    </section>
  );
}

function stepsOf({ tickets, matches, acceptance, placement }: QueueStats['outcomes']): Step[] {
  const { matched, timedOut, cancelled } = tickets;
  return [
    {
      name: 'Matched',
      of: matched + timedOut + cancelled,
      passed: matched,
      what: 'tickets',
      lost: ticketLosses(tickets),
    },
    ...(acceptance === undefined
      ? []
      : [
          {
            name: 'Accepted',
            of: acceptance.accepted + acceptance.declined + acceptance.notAccepted,
            passed: acceptance.accepted,
            what: 'matches',
            lost: acceptanceLosses(acceptance),
          },
        ]),
    ...(placement === undefined
      ? []
      : [
          {
            name: 'Placed on a game server',
            of: placement.placed + placement.refused + placement.timedOut,
            passed: placement.placed,
            what: 'matches',
            lost: placementLosses(placement),
          },
        ]),
    ...(acceptance === undefined && placement === undefined
      ? [{ name: 'Games', of: matches.found, passed: matches.found, what: 'matches', lost: [] }]
      : []),
  ];
}
