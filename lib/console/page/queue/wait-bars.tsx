import { Bar } from '../charts/bar.tsx';
import type { GroupWaits } from '../data/matched-tickets.ts';
import { secondsText } from '../format.ts';

/** Waits of groups side by side: the bar ends at p50, the thin line at p99. */
export function WaitBars({ by, groups }: { readonly by: string; readonly groups: readonly GroupWaits[] }) {
  const longest = Math.max(0.1, ...groups.map(({ p99 }) => p99));
  return (
    <table class="wait-bars">
      <caption>by {by}</caption>
      <thead class="hidden">
        <tr>
          <th scope="col">{by}</th>
          <th scope="col">picture</th>
          <th scope="col">half waited at most</th>
          <th scope="col">99 % waited at most</th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ of, p50, p99, tickets }) => (
          <tr key={of} title={`${tickets} tickets`}>
            <th scope="row">{of}</th>
            <td class="wait-picture">
              <Bar
                height={12}
                stretches={[
                  { from: 0, to: p99 / longest, colour: 'second', thickness: 2 },
                  { from: 0, to: Math.max(0.006, p50 / longest), colour: 'accent', thickness: 8 },
                ]}
              />
            </td>
            <td class="number">{secondsText(p50)}</td>
            <td class="number soft">{secondsText(p99)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
