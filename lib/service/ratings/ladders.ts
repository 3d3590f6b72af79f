import { type LadderDefinition, ladderDefinition } from '../../contract/ladder.ts';
import type { LadderList, LadderOdds } from '../../contract/ladder-views.ts';
import { conflict, type Problem } from '../../contract/problem.ts';
import { NEW_SLOPE } from '../../ratings/odds-slope.ts';
import { noSums, oddsBins } from '../../ratings/odds-sums.ts';
import {
  type ChangeNotes,
  type CheckedDefinitions,
  definitionOrState,
  type Live,
  noSuchDefinition,
} from '../definitions/definition-kind.ts';
import { checkIfMatch } from '../definitions/etag.ts';
import { isChanging, TRIES_MAX } from '../definitions/put-definition.ts';
import { changeOf, type Deployed } from '../domain/stored-definition.ts';
import type { LadderRecord, LadderState, LadderStore } from '../ports/ladder-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RatingStore } from '../ports/rating-store.ts';

/** The maximum of ladders. All of them are in one response. */
const LADDERS_MAX = 100;

/**
 * The definitions of ladders, and how they change.
 *
 * A result stores the definition that was in force when it was accepted, so a change does not affect running matches and results
 * that are not rated yet.
 */
export function ladderDefinitions(ladders: LadderStore): CheckedDefinitions<LadderDefinition, LadderState> {
  return {
    kind: 'ladder',
    schema: ladderDefinition,
    problemsOf: () => [],
    get: (ladder) => ladders.get(ladder),
    state: (ladder) => ladders.state(ladder),
    kept: (ladder) => ladders.kept(ladder),
    open: async () => (await ladders.list()).records.map(({ definition }) => definition),
    changeConflict: () => undefined,
    replace: (...change) => replaceLadder(ladders, ...change),
    recordDeployed: (live, ladder, deployed) => ladders.recordDeployed(live, ladder, deployed),
    remove: (live) => ladders.remove(live, live.definition.name),
  };
}

/** One try to change a ladder as it was read. @throws Problem (409) when there are too many ladders */
async function replaceLadder(
  ladders: LadderStore,
  old: Live<LadderDefinition, LadderState> | undefined,
  definition: LadderDefinition,
  nowMs: number,
  notes: ChangeNotes,
  deployed?: Deployed,
): Promise<boolean> {
  if (old === undefined) {
    const { records, unreadable } = await ladders.list();
    if (records.length + unreadable.length >= LADDERS_MAX) throw tooManyLadders(definition.name);
  }
  const replaced = changeOf(old);
  if (old?.definition !== undefined) await ladders.keep({ definition: old.definition, change: replaced });
  const change = { version: replaced.version + 1, at: new Date(nowMs).toISOString(), ...notes };
  return ladders.put({ definition, change }, old && replaced, deployed);
}

/** @throws Problem (404) */
export async function openLadder(ladders: Pick<LadderStore, 'get'>, ladder: string): Promise<LadderRecord> {
  const record = await ladders.get(ladder);
  if (record === undefined) throw noSuchDefinition('ladder', ladder);
  return record;
}

/** All ladders, sorted by name, and the names of those that cannot be read. */
export async function listLadders(ladders: LadderStore): Promise<LadderList> {
  const { records, unreadable } = await ladders.list();
  return {
    ladders: records.map(({ definition }) => definition),
    ...(unreadable.length > 0 && { unreadable: unreadable.map(({ name }) => name).sort() }),
  };
}

/**
 * Removes a ladder. Its ratings expire, and until then a ladder of the same name uses them again. A queue that is put
 * concurrently may still name the ladder. Its tickets are then rejected until the ladder is put again.
 * @param ifMatch the ETag of the definition that may be removed @default any
 * @throws Problem 404 no such ladder, 409 a queue names it, 412 another definition is in force
 */
export async function deleteLadder(
  deps: { readonly ladders: LadderStore; readonly queues: Pick<QueueStore, 'list'> },
  ladder: string,
  ifMatch?: string,
): Promise<void> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const old = await definitionOrState<LadderDefinition, LadderState>(deps.ladders, ladder);
    if (old === undefined) throw noSuchDefinition('ladder', ladder);
    if (ifMatch !== undefined) checkIfMatch(ifMatch, 'ladder', ladder, old);
    const { records } = await deps.queues.list();
    const using = records.filter(({ definition }) => definition.ladder === ladder);
    if (using.length > 0)
      throw inUse(
        ladder,
        using.map(({ definition }) => definition.name),
      );
    if (await deps.ladders.remove(old, ladder)) return;
  }
  throw isChanging('ladder', ladder);
}

function tooManyLadders(ladder: string): Problem {
  return conflict(
    'TOO_MANY_DEFINITIONS',
    `Expected fewer than ${LADDERS_MAX} ladders before ladder ${ladder} is created. DELETE a ladder that no queue names.`,
  );
}

function inUse(ladder: string, queues: readonly string[]): Problem {
  return conflict(
    'LADDER_IN_USE',
    `Ladder ${ladder} cannot be removed: ${queues.length === 1 ? 'queue' : 'the queues'} ${queues.slice(0, 10).join(', ')} ${queues.length === 1 ? 'names' : 'name'} it. Change or delete ${queues.length === 1 ? 'it' : 'them'} first; a deleted queue counts until it is removed.`,
  );
}

/** The measured quality of a ladder's odds. @throws Problem (404) */
export async function getLadderOdds(
  deps: { readonly ladders: Pick<LadderStore, 'get'>; readonly ratings: Pick<RatingStore, 'odds'> },
  ladder: string,
): Promise<LadderOdds> {
  await openLadder(deps.ladders, ladder);
  const { slope, sums } = (await deps.ratings.odds(ladder)) ?? { ...NEW_SLOPE, sums: noSums() };
  const { results, alike } = sums;
  const meanOf = (sum: number) => (results === 0 ? null : sum / results);
  const known = (share: number) => (Number.isNaN(share) ? null : share);
  return {
    ladder,
    results,
    slope,
    logLoss: meanOf(sums.logLoss),
    brier: meanOf(sums.brier),
    alike: { logLoss: meanOf(alike.logLoss), brier: meanOf(alike.brier) },
    bins: oddsBins(sums).map(({ from, to, count, predicted, happened, low, high }) => ({
      from,
      to,
      count,
      predicted: known(predicted),
      happened: known(happened),
      low: known(low),
      high: known(high),
    })),
  };
}
