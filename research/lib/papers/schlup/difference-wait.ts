import type { Arrival, MakeGame, OnlineAlgorithm, Setting } from './model.ts';

interface ProvisionalPair {
  readonly members: readonly [Arrival, Arrival];
  readonly difference: number;
  readonly finalAt: number;
}

/**
 * A_DW, section 4.4: two players are paired provisionally, and the pair becomes final after a wait in
 * proportion to their difference, or when one of them has waited τ_max. A newcomer who is nearer to a
 * member of a provisional pair than that member's partner takes the partner's place; the dropped player
 * then tries the same with the other pairs. k = 2, D = 1.
 *
 * Where the paper says nothing: of all places that a newcomer could take, it takes the one next to the nearest player
 * (an unpaired player is always available), and a pair's wait starts when the pair is formed.
 *
 * @param waitFactor f_wait ≥ 0, time units per unit of difference; 0 is A_G
 */
export function differenceWait(waitFactor: number) {
  return ({ longestWait }: Setting, makeGame: MakeGame): OnlineAlgorithm => {
    let single: Arrival | undefined;
    const pairs = new Set<ProvisionalPair>();

    const place = (newcomer: Arrival, now: number): void => {
      let seeker = newcomer;
      for (;;) {
        let nearest = single;
        let distance = single === undefined ? Number.POSITIVE_INFINITY : between(seeker, single);
        let broken: ProvisionalPair | undefined;
        for (const pair of pairs) {
          for (const member of pair.members) {
            const candidate = between(seeker, member);
            if (candidate >= pair.difference || candidate >= distance) continue;
            nearest = member;
            distance = candidate;
            broken = pair;
          }
        }
        if (nearest === undefined) {
          single = seeker;
          return;
        }
        const oldest = Math.min(seeker.time, nearest.time);
        pairs.add({
          members: [seeker, nearest],
          difference: distance,
          finalAt: Math.min(now + waitFactor * distance, oldest + longestWait),
        });
        if (broken === undefined) {
          single = undefined;
          return;
        }
        pairs.delete(broken);
        seeker = broken.members[0] === nearest ? broken.members[1] : broken.members[0];
      }
    };

    const firstFinal = (): ProvisionalPair | undefined => {
      let first: ProvisionalPair | undefined;
      for (const pair of pairs) if (first === undefined || pair.finalAt < first.finalAt) first = pair;
      return first;
    };
    const singleTimesOutAt = (): number =>
      single === undefined ? Number.POSITIVE_INFINITY : single.time + longestWait;

    return {
      onArrival(arrival) {
        place(arrival, arrival.time);
        // A pair that needs no wait is final before the next player can break it.
        for (
          let pair = firstFinal();
          pair !== undefined && pair.finalAt <= arrival.time;
          pair = firstFinal()
        ) {
          pairs.delete(pair);
          makeGame(pair.members, arrival.time);
        }
      },
      timer: () => Math.min(firstFinal()?.finalAt ?? Number.POSITIVE_INFINITY, singleTimesOutAt()),
      onTimer(now) {
        const pair = firstFinal();
        if (pair !== undefined && pair.finalAt <= now) {
          pairs.delete(pair);
          makeGame(pair.members, now);
        } else if (single !== undefined) {
          const members = [single];
          single = undefined;
          makeGame(members, now);
        }
      },
    };
  };
}

function between(a: Arrival, b: Arrival): number {
  return Math.abs(a.criteria[0] - b.criteria[0]);
}
