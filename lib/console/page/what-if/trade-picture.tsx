import { numberText, secondsText } from '../frame/format.ts';
import type { Run } from './what-if-page.tsx';

const [WIDTH, HEIGHT] = [460, 300];
const EDGE = { left: 56, right: 20, top: 30, bottom: 44 };

/** Every run as a dot: to the left players wait less, further down their matches are better. */
export function TradePicture({ runs }: { readonly runs: readonly Run[] }) {
  const points = runs.map(({ name, result: { measures } }) => ({
    name,
    wait: measures.waitSeconds.p90,
    imbalance: measures.imbalance.p90,
  }));
  const waits = Math.max(1, ...points.map(({ wait }) => wait)) * 1.15;
  const imbalances = Math.max(1, ...points.map(({ imbalance }) => imbalance || 0)) * 1.15;
  const x = (wait: number) => EDGE.left + (wait / waits) * (WIDTH - EDGE.left - EDGE.right);
  const y = (imbalance: number) =>
    HEIGHT - EDGE.bottom - (imbalance / imbalances) * (HEIGHT - EDGE.top - EDGE.bottom);
  const drawn = points.filter(({ imbalance }) => Number.isFinite(imbalance));
  return (
    <svg
      class="trade"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={drawn
        .map(
          ({ name, wait, imbalance }) =>
            `${name}: wait ${secondsText(wait)}, imbalance ${numberText(imbalance)}`,
        )
        .join('. ')}
    >
      <line class="trade-axis" x1={EDGE.left} x2={WIDTH - EDGE.right} y1={y(0)} y2={y(0)} />
      <line class="trade-axis" x1={EDGE.left} x2={EDGE.left} y1={EDGE.top} y2={y(0)} />
      {[0.25, 0.5, 0.75, 1].map((part) => (
        <g key={part}>
          <text class="axis-text" x={x(part * waits)} y={HEIGHT - 26} text-anchor="middle">
            {secondsText(part * waits)}
          </text>
          <text class="axis-text" x={EDGE.left - 8} y={y(part * imbalances) + 4} text-anchor="end">
            {numberText(part * imbalances)}
          </text>
          <line
            class="trade-grid"
            x1={EDGE.left}
            x2={WIDTH - EDGE.right}
            y1={y(part * imbalances)}
            y2={y(part * imbalances)}
          />
        </g>
      ))}
      <text class="axis-text" x={WIDTH - EDGE.right} y={HEIGHT - 6} text-anchor="end">
        wait, 90 % of players at most →
      </text>
      <text class="axis-text" x="4" y="12">
        imbalance, 90 % of matches at most ↑
      </text>
      {drawn.length > 1 && (
        <polyline
          class="trade-path"
          points={drawn.map(({ wait, imbalance }) => `${x(wait)},${y(imbalance)}`).join(' ')}
        />
      )}
      {drawn.map(({ name, wait, imbalance }, at) => (
        <g key={name} class={at === 0 ? 'trade-first' : at === drawn.length - 1 ? 'trade-last' : 'trade-run'}>
          <circle cx={x(wait)} cy={y(imbalance)} r="7">
            <title>{name}</title>
          </circle>
          <text
            x={x(wait) > WIDTH / 2 ? x(wait) - 12 : x(wait) + 12}
            y={y(imbalance) + (at === 0 ? 20 : -10)}
            text-anchor={x(wait) > WIDTH / 2 ? 'end' : 'start'}
          >
            {name}
          </text>
        </g>
      ))}
    </svg>
  );
}
