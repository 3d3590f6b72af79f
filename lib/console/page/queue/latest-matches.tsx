import type { MatchView } from '../../../contract/match.ts';
import { Bar } from '../charts/bar.tsx';
import { proofText, savedAtMost } from '../data/gap.ts';
import type { LiveQueue } from '../data/live-queues.ts';
import { playersIn } from '../data/measures.ts';
import { clockText, numberText } from '../format.ts';
import { Card } from '../frame/card.tsx';
import { pathTo } from '../frame/router.ts';
import { statusText } from '../frame/status.tsx';

const SHOWN = 15;
/** Some are shown in wide windows only. */
const COLUMNS: readonly (readonly [name: string, wide?: 'wide-only'])[] = [
  ['Made at'],
  ['Players', 'wide-only'],
  ['Imbalance'],
  ['and the part a match of as long a wait could have saved at most', 'wide-only'],
  ['Proof'],
  ['Region', 'wide-only'],
  ['Status'],
];

/** The latest matches, the newest first, with their imbalance and what is proved about it. */
export function LatestMatches({ live }: { readonly live: LiveQueue }) {
  const matches = live.matches.slice(-SHOWN).reverse();
  const greatest = Math.max(1, ...matches.map(({ imbalance }) => imbalance));
  return (
    <Card title="Latest matches" class="matches">
      {matches.length === 0 ? (
        <p class="soft">No match yet.</p>
      ) : (
        <table>
          <thead>
            <tr>
              {COLUMNS.map(([name, wide]) => (
                <th key={name} scope="col" class={wide}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matches.map((match) => (
              <MatchRow key={match.matchId} match={match} greatest={greatest} />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function MatchRow({ match, greatest }: { readonly match: MatchView; readonly greatest: number }) {
  const sure = (match.imbalance - savedAtMost(match)) / greatest;
  return (
    <tr>
      <td>
        <a href={pathTo('matches', match.matchId)}>{clockText(Date.parse(match.createdAt))}</a>
      </td>
      <td class="wide-only">{playersIn(match)}</td>
      <td>{numberText(match.imbalance)}</td>
      <td class="imbalance wide-only">
        <Bar
          height={10}
          stretches={[
            { from: 0, to: sure, colour: 'accent', thickness: 8 },
            { from: sure, to: match.imbalance / greatest, colour: 'second', thickness: 8 },
          ]}
        />
      </td>
      <td>{proofText(match)}</td>
      <td class="wide-only">{match.region ?? '–'}</td>
      <td>{statusText(match.status)}</td>
    </tr>
  );
}
