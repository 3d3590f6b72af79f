import { type Colour, drawnIn } from '../charts/drawn-in.ts';
import { dot, SIDE, valueTicks } from '../charts/plot.ts';
import { PlotFrame } from '../charts/plot-frame.tsx';
import type { WaitingTicket } from '../data/waiting.ts';
import { countText, numberText, secondsText } from '../format.ts';

export interface PoolPictureProps {
  /** Ascending by skill. */
  readonly waiting: readonly WaitingTicket[];
  /** Skills at which the pool is split. */
  readonly boundaries: readonly number[];
  readonly timeoutSeconds: number;
}

const HEIGHT = 200;
const AGE_TICKS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400];
/** The least distance of two ages on the axis, as a part of the height, so that their texts do not touch. */
const TICK_DISTANCE = 0.1;
const SKILL_INTERVALS_MAX = 6;
/** The diameters of the dots in CSS pixels: of a player alone, more for each further one, and at most this many more. */
const DOT = { alone: 5.2, more: 2.6, moreMax: 8 };

/** The waiting tickets along the skill axis; the older, the higher. A dot is a ticket, its size the party's. */
export function PoolPicture({ waiting, boundaries, timeoutSeconds }: PoolPictureProps) {
  const skills = [...waiting.map(({ skill }) => skill), ...boundaries];
  const [least, greatest] = [Math.min(...skills), Math.max(...skills)];
  const margin = Math.max(1, (greatest - least) * 0.04);
  const [from, to] = waiting.length === 0 ? [0, 3_000] : [Math.max(0, least - margin), greatest + margin];
  const oldest = Math.max(5, ...waiting.map(({ ageSeconds }) => ageSeconds)) * 1.15;
  const x = (skill: number) => (skill - from) / (to - from);
  // Roots, because most tickets are young.
  const y = (age: number) => Math.sqrt(age / oldest);
  const dots = Map.groupBy(waiting, ({ size, ageSeconds }) => {
    const colour = ageSeconds > 0.85 * timeoutSeconds ? 'bad' : size > 1 ? 'second' : 'accent';
    return `${colour} ${DOT.alone + DOT.more * Math.min(DOT.moreMax, size - 1)}`;
  });
  return (
    <div role="img" aria-label={inWords(waiting)}>
      <PlotFrame
        height={HEIGHT}
        rows={ageTicks(y)}
        columns={valueTicks(from, to, SKILL_INTERVALS_MAX)
          .map((skill) => ({ part: x(skill), text: numberText(skill) }))
          .filter(({ text }, at, all) => all[at - 1]?.text !== text)}
      >
        {boundaries.map((boundary) => (
          <path
            key={boundary}
            style={drawnIn('third')}
            stroke-dasharray="4 4"
            d={`M${SIDE * x(boundary)} 0V${SIDE}`}
          />
        ))}
        {timeoutSeconds <= oldest && (
          <path
            style={drawnIn('bad')}
            stroke-dasharray="4 4"
            d={`M0 ${SIDE * (1 - y(timeoutSeconds))}H${SIDE}`}
          />
        )}
        {Array.from(dots, ([kind, tickets]) => {
          const [colour, size] = kind.split(' ') as [Colour, string];
          const path = tickets.map(({ skill, ageSeconds }) => dot(x(skill), y(ageSeconds))).join('');
          const style = { ...drawnIn(colour), '--size': `${size}px`, opacity: 0.7 };
          return <path key={kind} class="dots" style={style} d={path} />;
        })}
      </PlotFrame>
    </div>
  );
}

function inWords(waiting: readonly WaitingTicket[]): string {
  if (waiting.length === 0) return 'No ticket is waiting.';
  const oldest = Math.max(...waiting.map(({ ageSeconds }) => ageSeconds));
  return (
    `${countText(waiting.length, 'waiting ticket')} with skills from ${numberText(waiting[0]!.skill)} to ` +
    `${numberText(waiting.at(-1)!.skill)}; the oldest has waited ${secondsText(oldest)}.`
  );
}

/** Ages whose texts do not touch, from the youngest up. */
function ageTicks(y: (age: number) => number): { part: number; text: string }[] {
  const ticks: { part: number; text: string }[] = [];
  for (const age of AGE_TICKS) {
    const part = y(age);
    if (part > 1 || part - (ticks.at(-1)?.part ?? -1) < TICK_DISTANCE) continue;
    ticks.push({ part, text: secondsText(age).replace('.0', '') });
  }
  return ticks;
}
