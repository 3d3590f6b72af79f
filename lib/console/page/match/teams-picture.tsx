import { useEffect, useRef, useState } from 'preact/hooks';
import type { MatchView } from '../../../contract/match.ts';
import type { TicketView } from '../../../contract/ticket.ts';
import { drawnIn } from '../charts/drawn-in.ts';
import { numberText, secondsText } from '../format.ts';
import { pathTo } from '../frame/router.ts';

export interface TeamsPictureProps {
  readonly match: MatchView;
  readonly tickets: ReadonlyMap<string, TicketView>;
}

interface Seat {
  readonly playerId: string;
  readonly ticketId: string | undefined;
  readonly role: string | undefined;
  readonly skill: number | undefined;
  readonly waitSeconds: number | undefined;
}

/** Each team as a line of its players along one skill axis, and as a list. Members of a party are joined by an arc. */
export function TeamsPicture({ match, tickets }: TeamsPictureProps) {
  const madeMs = Date.parse(match.createdAt);
  const teams = match.teams.map(({ players }) => players.map((seat) => seatOf(seat, tickets, madeMs)));
  const skills = teams.flat().flatMap(({ skill }) => skill ?? []);
  const names = match.teams.map(({ name }, at) => name ?? `Team ${at + 1}`);
  return (
    <>
      {skills.length > 0 && <Axis teams={teams} names={names} skills={skills} />}
      <div class="tiles groups">
        {teams.map((seats, at) => (
          <section key={names[at]} class="team" style={drawnIn(colourOf(at))} aria-label={names[at]}>
            <h3>
              {names[at]} <span class="soft">{meanText(seats)}</span>
            </h3>
            <ul class="items">
              {seats.map((seat) => (
                <li key={seat.playerId} class="row spread">
                  {seat.ticketId === undefined ? (
                    <span class="player">bot</span>
                  ) : (
                    <a class="player" href={pathTo('tickets', seat.ticketId)}>
                      {seat.playerId}
                    </a>
                  )}
                  <span class="soft">
                    {[seat.role, seat.skill === undefined ? undefined : numberText(seat.skill)]
                      .filter((part) => part !== undefined)
                      .join(' · ')}
                  </span>
                  <span class="soft">
                    {seat.waitSeconds === undefined ? '' : `waited ${secondsText(seat.waitSeconds)}`}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}

function seatOf(
  { playerId, ticketId, role }: MatchView['teams'][number]['players'][number],
  tickets: ReadonlyMap<string, TicketView>,
  madeMs: number,
): Seat {
  const ticket = ticketId === undefined ? undefined : tickets.get(ticketId);
  return {
    playerId,
    ticketId,
    role,
    skill: ticket?.players.find((player) => player.playerId === playerId)?.skill,
    waitSeconds: ticket && Math.max(0, (madeMs - Date.parse(ticket.enqueuedAt)) / 1_000),
  };
}

function meanText(seats: readonly Seat[]): string {
  const skills = seats.flatMap(({ skill }) => skill ?? []);
  if (skills.length === 0) return '';
  return `mean skill ${numberText(skills.reduce((sum, skill) => sum + skill, 0) / skills.length)}`;
}

const TEAM_COLOURS = ['accent', 'second', 'third', 'bad', 'good', 'soft'] as const;
const colourOf = (team: number) => TEAM_COLOURS[team % TEAM_COLOURS.length]!;

const LANE = 46;
const EDGE = 24;
/** The least part of the middle skill that the axis shows, so that players of nearly the same skill stand close together. */
const SPAN_MIN = 0.1;
/** With less room for the texts between the outer players, they stand outside. */
const TEXTS_MIN = 120;

function Axis({
  teams,
  names,
  skills,
}: {
  readonly teams: readonly (readonly Seat[])[];
  readonly names: readonly string[];
  readonly skills: readonly number[];
}) {
  const [least, greatest] = [Math.min(...skills), Math.max(...skills)];
  const middle = (least + greatest) / 2;
  const span = Math.max(1, greatest - least, SPAN_MIN * middle);
  // A unit of the picture is a pixel, so it can be read on a phone too.
  const picture = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(1_000);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, entry!.contentRect.width)));
    observer.observe(picture.current!);
    return () => observer.disconnect();
  }, []);
  const x = (skill: number) => EDGE + ((skill - middle) / span + 0.5) * (width - 2 * EDGE);
  const isNarrow = x(greatest) - x(least) < TEXTS_MIN;
  const height = LANE * teams.length + 26;
  const inWords = teams
    .map((seats, at) => `${names[at]}: ${seats.map(({ skill }) => numberText(skill)).join(', ')}`)
    .join('. ');
  return (
    <svg
      ref={picture}
      class="axis"
      viewBox={`0 0 ${width} ${height}`}
      height={height}
      role="img"
      aria-label={`Skills. ${inWords}`}
    >
      {teams.map((seats, at) => {
        const y = LANE * at + LANE / 2 + 8;
        const known = seats.filter(({ skill }) => skill !== undefined);
        const mean = known.reduce((sum, { skill }) => sum + skill!, 0) / known.length;
        return (
          <g key={names[at]} style={drawnIn(colourOf(at))}>
            <line style={drawnIn('line')} x1={EDGE / 2} x2={width - EDGE / 2} y1={y} y2={y} />
            {partiesOf(known).map((party) => (
              <path key={party[0]!.ticketId} d={arcsOf(party, x, y)} />
            ))}
            {known.length > 0 && <line x1={x(mean)} x2={x(mean)} y1={y - 13} y2={y + 13} />}
            {known.map(({ playerId, skill }) => (
              <circle key={playerId} cx={x(skill!)} cy={y} r="7" />
            ))}
          </g>
        );
      })}
      {[...new Set([least, greatest])].map((skill, at) => (
        <text key={at} x={x(skill)} y={height - 4} text-anchor={(at === 0) === isNarrow ? 'end' : 'start'}>
          {numberText(skill)}
        </text>
      ))}
    </svg>
  );
}

/** Arcs from each member of a party to the next, above the line of the team. */
function arcsOf(party: readonly Seat[], x: (skill: number) => number, y: number): string {
  const sorted = party.map(({ skill }) => x(skill!)).sort((a, b) => a - b);
  return sorted
    .slice(1)
    .map((to, at) => `M ${sorted[at]} ${y - 6} Q ${(sorted[at]! + to) / 2} ${y - 26} ${to} ${y - 6}`)
    .join(' ');
}

/** Parties of two and more. */
function partiesOf(seats: readonly Seat[]): Seat[][] {
  const people = seats.filter(({ ticketId }) => ticketId !== undefined);
  const parties = Map.groupBy(people, ({ ticketId }) => ticketId);
  return [...parties.values()].filter(({ length }) => length > 1);
}
