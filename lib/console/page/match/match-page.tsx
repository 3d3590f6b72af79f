import { isFinal } from '../../../client/index.ts';
import type { MatchView } from '../../../contract/match.ts';
import type { TicketView } from '../../../contract/ticket.ts';
import { CountedBar } from '../charts/counted-bar.tsx';
import { ticketIdsOf } from '../data/matched-tickets.ts';
import { paced } from '../data/pace.ts';
import { useLoaded, usePolled } from '../data/polling.ts';
import { service } from '../data/service.ts';
import { clockText, numberText, sentenceText } from '../format.ts';
import { Card } from '../frame/card.tsx';
import { Absent, Page } from '../frame/page.tsx';
import { pathTo } from '../frame/router.ts';
import { type Station, statusText, Way } from '../frame/status.tsx';
import { ProofPicture } from './proof-picture.tsx';
import { TeamsPicture } from './teams-picture.tsx';

const BEAT_MS = 2_000;

/** A match: its teams, its proof, and its way from the search to the game. */
export function MatchPage({ matchId }: { readonly matchId: string }) {
  const match = usePolled(
    matchId,
    (abort) => service.match(matchId, abort),
    (data) =>
      data !== undefined && isFinal(data.status) && data.endedAt !== undefined ? undefined : paced(BEAT_MS),
  );
  const { data, error } = match.value;
  if (data === undefined) {
    return (
      <Page title="Match" trail={[]}>
        <Absent
          what="the match"
          error={error}
          missing={
            <>
              The service has no match <code>{matchId}</code>. Matches are kept for a limited time.
            </>
          }
        />
      </Page>
    );
  }
  return <KnownMatch match={data} />;
}

function KnownMatch({ match }: { readonly match: MatchView }) {
  const { matchId, queue, status, createdAt, teams, region, assignment, roster, reason } = match;
  const tickets = useTickets(match);
  const { data: definition } = useLoaded(queue, (abort) => service.queue(queue, abort)).value;
  return (
    <Page
      title={`Match of ${clockText(Date.parse(createdAt))}`}
      trail={[{ text: queue, href: pathTo('queues', queue) }]}
      lead={
        <p class="soft">
          {statusText(status)} · {teams.map(({ players }) => players.length).join(' v ')} players
          {region !== undefined && ` · in ${region}`} · <code>{matchId}</code>
        </p>
      }
    >
      {reason !== undefined && <p class="trouble trouble-bad">{sentenceText(reason)}</p>}
      <Card title="Teams along the skill axis">
        <TeamsPicture match={match} tickets={tickets} />
      </Card>
      <div class="tiles">
        <Card title="The proof">
          <ProofPicture match={match} />
        </Card>
        <Card title="Its way">
          <Way stations={stationsOf(match, definition?.acceptance !== undefined)} />
          <dl class="facts">
            {answersOf(match).map(([text, players]) => (
              <>
                <dt>{text}</dt>
                <dd>{players.join(', ')}</dd>
              </>
            ))}
            {roster !== undefined && (
              <>
                <dt>Roster</dt>
                <dd>
                  version {roster}, {numberText(match.newTicketIds?.length ?? 0)} tickets came with the last
                  backfill
                </dd>
              </>
            )}
            <dt>Game server</dt>
            <dd>
              {assignment === undefined
                ? 'none assigned'
                : `${assignment.address}${assignment.port === undefined ? '' : `:${assignment.port}`}`}
              {assignment?.sessionId !== undefined && (
                <span class="soft"> session {assignment.sessionId}</span>
              )}
            </dd>
          </dl>
        </Card>
        <Odds match={match} />
        <Costs match={match} />
      </div>
    </Page>
  );
}

/** The odds before the match as a player would say them, its result, and the ratings that it changed. */
function Odds({ match: { ladder, expected, teams, result, ratings } }: { readonly match: MatchView }) {
  if (ladder === undefined) return null;
  const names = teams.map(({ name }, at) => name ?? `Team ${at + 1}`);
  return (
    <Card title="Odds">
      <p>
        {expected === undefined
          ? 'The ratings could not be read, so there are no odds.'
          : `${oddsText(expected)} for ${names.join(' against ')}`}
        {', by '}
        <a href={pathTo('ladders', ladder)}>the ladder {ladder}</a>.
      </p>
      <p class="soft">{result === undefined ? 'No result yet.' : resultText(result, names)}</p>
      {ratings !== undefined && (
        <ul class="items">
          {ratings.map(({ playerId, before, after }) => (
            <li key={playerId} class="row spread">
              <a href={pathTo('ladders', ladder, playerId)}>{playerId}</a>
              <span class="soft">
                {numberText(Math.round(before.mean))} → {numberText(Math.round(after.mean))}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** `52 to 48`. They add up to 100: those that lose most by being rounded down are rounded up. */
function oddsText(expected: readonly number[]): string {
  const exact = expected.map((chance) => 100 * chance);
  const left = 100 - exact.reduce((sum, part) => sum + Math.floor(part), 0);
  const losers = [...exact.keys()].sort((a, b) => (exact[b]! % 1) - (exact[a]! % 1)).slice(0, left);
  return exact.map((part, team) => Math.floor(part) + Number(losers.includes(team))).join(' to ');
}

function resultText({ ranks }: NonNullable<MatchView['result']>, names: readonly string[]): string {
  if (ranks === undefined) return 'The match is void: it counts for no player.';
  const first = Math.min(...ranks);
  const winners = names.filter((_, team) => ranks[team] === first);
  return winners.length === 1 ? `${winners[0]} has won.` : `A draw of ${winners.join(' and ')}.`;
}

/** What each rule said about the match. */
function Costs({ match }: { readonly match: MatchView }) {
  const rules = Object.entries(match.rules ?? {});
  if (rules.length === 0) return null;
  const greatest = Math.max(1e-9, ...rules.map(([, { cost = 0 }]) => cost));
  return (
    <Card title="What its rules cost">
      <ul class="stack">
        {rules.map(([name, { cost, values = [] }]) => (
          <CountedBar
            key={name}
            text={[name, values.join(', ')].join(' ')}
            value={cost === undefined ? 'met' : `${numberText(cost)} imbalance`}
            part={cost === undefined ? undefined : cost / greatest}
          />
        ))}
      </ul>
    </Card>
  );
}

/** The tickets of a match, for the skills and waits of its players. Without them the picture shows the players alone. */
function useTickets(match: MatchView): ReadonlyMap<string, TicketView> {
  const ids = ticketIdsOf(match);
  const { data = [] } = useLoaded(ids.join(), (abort) => service.tickets(ids, abort)).value;
  return new Map(data.map((ticket) => [ticket.ticketId, ticket]));
}

const peopleIn = (teams: MatchView['teams']) =>
  teams.reduce((sum, { players }) => sum + players.filter(({ bot }) => !bot).length, 0);

/** Who has answered how, as far as somebody has. */
function answersOf({ acceptance }: MatchView): [text: string, players: readonly string[]][] {
  const { accepted = [], declined = [], unanswered = [] } = acceptance ?? {};
  const all: [string, readonly string[]][] = [
    ['Accepted', accepted],
    ['Declined', declined],
    ['Not answered', unanswered],
  ];
  return all.filter(([, players]) => players.length > 0);
}

/** @param mustAccept whether matches of the queue require acceptance */
function stationsOf(
  { status, createdAt, acceptance, assignment, endedAt, teams }: MatchView,
  mustAccept: boolean,
): Station[] {
  const made: Station = { text: 'Found', note: clockText(Date.parse(createdAt)), state: 'done' };
  const isFailed = status === 'FAILED';
  const hasAcceptance = acceptance !== undefined || mustAccept;
  const isRefused = isFailed && hasAcceptance && (acceptance?.accepted.length ?? 0) < peopleIn(teams);
  const passed = (at: boolean, failed: boolean) => (at ? 'now' : failed ? 'failed' : 'done');
  const stations: Station[] = [made];
  if (hasAcceptance) {
    stations.push({
      text: 'Accepted',
      note:
        acceptance &&
        `${acceptance.accepted.length} of ${peopleIn(teams)} players, until ${clockText(Date.parse(acceptance.deadline))}`,
      state: passed(status === 'REQUIRES_ACCEPTANCE', isRefused),
    });
  }
  const isUnplaced = isFailed && !isRefused && assignment === undefined;
  if (status === 'PLACING' || isUnplaced || assignment !== undefined)
    stations.push({
      text: 'Placed',
      note: assignment?.address,
      state: passed(status === 'PLACING', isUnplaced),
    });
  if (isFailed) stations.push({ text: 'Failed', state: 'failed' });
  else stations.push({ text: 'Completed', state: status === 'COMPLETED' ? 'done' : 'ahead' });
  if (endedAt !== undefined)
    stations.push({ text: 'Ended', note: clockText(Date.parse(endedAt)), state: 'done' });
  return stations;
}
