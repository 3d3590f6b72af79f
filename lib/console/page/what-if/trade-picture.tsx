import { type Colour, drawnIn } from '../charts/drawn-in.ts';
import { at, dot, valueTicks } from '../charts/plot.ts';
import { PlotFrame } from '../charts/plot-frame.tsx';
import { numberText, secondsText } from '../format.ts';
import type { Run } from './run.ts';

const HEIGHT = 260;
/** The space beyond the largest value, as a factor. */
const HEADROOM = 1.15;

/** Every run as a dot: to the left players wait less, further down their matches are better. */
export function TradePicture({ runs }: { readonly runs: readonly Run[] }) {
  const points = runs
    .map(({ name, result: { measures } }) => ({
      name,
      wait: measures.waitSeconds.p90,
      imbalance: measures.imbalance.p90,
    }))
    .filter(({ imbalance }) => Number.isFinite(imbalance));
  const wait = Math.max(1, ...points.map((point) => point.wait)) * HEADROOM;
  const imbalance = Math.max(1, ...points.map((point) => point.imbalance)) * HEADROOM;
  const colourOf = (place: number): Colour =>
    place === 0 ? 'second' : place === points.length - 1 ? 'accent' : 'soft';
  const places = points.map((point, place) => ({
    name: point.name,
    x: point.wait / wait,
    y: point.imbalance / imbalance,
    colour: colourOf(place),
  }));
  const inWords = points.map(
    (point) => `${point.name}: wait ${secondsText(point.wait)}, imbalance ${numberText(point.imbalance)}`,
  );
  return (
    <div role="img" aria-label={inWords.join('. ')}>
      <p class="soft small">imbalance, 90 % of matches at most ↑</p>
      <PlotFrame
        height={HEIGHT}
        rows={valueTicks(0, imbalance).map((value) => ({ part: value / imbalance, text: numberText(value) }))}
        columns={valueTicks(0, wait, 4).map((value) => ({ part: value / wait, text: secondsText(value) }))}
        names={places.map(({ name, x, y }) => ({ part: x, partUp: y, text: name }))}
      >
        <path style={drawnIn('line')} d={`M${places.map(({ x, y }) => at(x, y)).join('L')}`} />
        {places.map(({ name, x, y, colour }) => (
          <path key={name} class="dots" style={{ ...drawnIn(colour), '--size': '14px' }} d={dot(x, y)} />
        ))}
      </PlotFrame>
      <p class="soft small number">wait, 90 % of players at most →</p>
    </div>
  );
}
