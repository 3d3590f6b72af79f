import { useSignal } from '@preact/signals';
import type { LadderOdds } from '../../../contract/ladder-views.ts';
import { paced } from '../data/pace.ts';
import { usePolled } from '../data/polling.ts';
import { service } from '../data/service.ts';
import { Versions } from '../definition/versions.tsx';
import { countText, shareText } from '../format.ts';
import { Loading, Page } from '../frame/page.tsx';
import { goTo, pathTo } from '../frame/router.ts';
import { ReliabilityPicture } from './reliability-picture.tsx';

const BEAT_MS = 5_000;
/** A request for the versions reads 50 items. */
const VERSIONS_BEAT_MS = 10_000;

/** A ladder: what the odds before its matches were worth, the way to the rating of a player, and the versions of its definition. */
export function LadderPage({ name }: { readonly name: string }) {
  const { data, error } = usePolled(
    name,
    (abort) => service.ladderOdds(name, abort),
    () => paced(BEAT_MS),
  ).value;
  return (
    <Page title={`Ladder ${name}`} trail={[{ text: 'Overview', href: '/' }]}>
      {error !== undefined && data === undefined && <p class="empty">{error.message}</p>}
      {error === undefined && data === undefined && <Loading what="the ladder" />}
      {data !== undefined && <Odds odds={data} />}
      {data !== undefined && <FindRating ladder={name} />}
      {data !== undefined && <LadderVersions ladder={name} />}
    </Page>
  );
}

function Odds({ odds }: { readonly odds: LadderOdds }) {
  const { results, slope, logLoss, brier, alike, bins } = odds;
  if (results === 0)
    return (
      <p class="empty">
        No result has been rated yet. The odds of its matches are measured from the first result on.
      </p>
    );
  return (
    <div class="tiles">
      <section class="card stack" aria-labelledby="picture-title">
        <h2 id="picture-title">Odds, and what happened</h2>
        <ReliabilityPicture bins={bins} />
        <p class="soft">
          Of the teams that were given such odds, this share has won. On the line, odds hold. A bar is the
          interval of 95 %.
        </p>
      </section>
      <section class="card stack" aria-labelledby="worth-title">
        <h2 id="worth-title">What they are worth</h2>
        <p>Of {countText(results, 'rated result')}:</p>
        <table>
          <thead>
            <tr>
              <th scope="col">measure</th>
              <th scope="col">odds</th>
              <th scope="col">all teams alike</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">log loss</th>
              <td class="number">{threeDigits(logLoss)}</td>
              <td class="number">{threeDigits(alike.logLoss)}</td>
            </tr>
            <tr>
              <th scope="row">Brier score</th>
              <td class="number">{threeDigits(brier)}</td>
              <td class="number">{threeDigits(alike.brier)}</td>
            </tr>
          </tbody>
        </table>
        <p class="soft">
          Less is better. The ratings alone are {slope < 1 ? 'too sure' : 'not sure enough'}: Muster corrects
          them with a slope of {slope.toFixed(2)}, where 1 changes nothing.
        </p>
        <details>
          <summary>The ten bins as a table</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">odds</th>
                <th scope="col">teams</th>
                <th scope="col">have won</th>
                <th scope="col">95 % interval</th>
              </tr>
            </thead>
            <tbody>
              {bins.map(({ from, to, count, happened, low, high }) => (
                <tr key={from}>
                  <th scope="row">
                    {shareText(from)} to {shareText(to)}
                  </th>
                  <td class="number">{count}</td>
                  <td class="number">{shareText(happened)}</td>
                  <td class="number">{low === null ? '–' : `${shareText(low)} to ${shareText(high)}`}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </section>
    </div>
  );
}

/** The versions of the definition, and the way back to one. */
function LadderVersions({ ladder }: { readonly ladder: string }) {
  const { data } = usePolled(
    `versions ${ladder}`,
    (abort) => service.ladderVersions(ladder, abort),
    () => paced(VERSIONS_BEAT_MS),
  ).value;
  if (data === undefined) return null;
  return <Versions versions={data} restore={(version) => service.restoreLadder(ladder, version)} />;
}

function FindRating({ ladder }: { readonly ladder: string }) {
  const playerId = useSignal('');
  return (
    <section class="card stack" aria-labelledby="find-title">
      <h2 id="find-title">The rating of a player</h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (playerId.value !== '') goTo(pathTo('ladders', ladder, playerId.value));
        }}
      >
        <input
          aria-label="Player id"
          placeholder="Player id"
          value={playerId.value}
          onInput={(event) => {
            playerId.value = event.currentTarget.value.trim();
          }}
        />
        <button type="submit">Show</button>
      </form>
    </section>
  );
}

const threeDigits = (value: number | null) => (value === null ? '–' : value.toFixed(3));
