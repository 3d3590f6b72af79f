import type { QueueStats } from '../../../contract/queue-stats.ts';
import { CountedBar } from '../charts/counted-bar.tsx';
import { acceptanceLosses, placementLosses, ticketLosses } from '../data/health.ts';
import { clockText, countText, numberText } from '../format.ts';
import { Card } from '../frame/card.tsx';

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
  const { elsewhere = 0, returned, vanished = 0 } = outcomes.tickets;
  return (
    <Card title="From the ticket to the game">
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
        {elsewhere > 0 &&
          `${countText(elsewhere, 'ticket was', 'tickets were')} matched by another queue of theirs. `}
        {vanished > 0 &&
          `${countText(vanished, 'ticket was', 'tickets were')} cancelled because a player had left. `}
        A step counts what has come to its end.
      </p>
    </Card>
  );
}

function stepsOf({ tickets, matches, acceptance, placement }: QueueStats['outcomes']): Step[] {
  const { matched, timedOut, cancelled } = tickets;
  const ended = matched + timedOut + cancelled;
  const steps: Step[] = [
    { name: 'Matched', of: ended, passed: matched, what: 'tickets', lost: ticketLosses(tickets) },
  ];
  const addMatches = (name: string, passed: number, others: number, lost: readonly string[]) =>
    steps.push({ name, of: passed + others, passed, what: 'matches', lost });
  if (acceptance !== undefined) {
    const { accepted, declined, notAccepted } = acceptance;
    addMatches('Accepted', accepted, declined + notAccepted, acceptanceLosses(acceptance));
  }
  if (placement !== undefined) {
    const { placed, refused, timedOut } = placement;
    addMatches('Placed on a game server', placed, refused + timedOut, placementLosses(placement));
  }
  if (acceptance === undefined && placement === undefined) addMatches('Games', matches.found, 0, []);
  return steps;
}
