import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { type LadderDefinition, ladderDefinition } from '../../contract/ladder.ts';
import { check, invalid, Problem } from '../../contract/problem.ts';
import { queueName } from '../../contract/queue-definition.ts';
import type { DefinitionChange, Deployed } from '../domain/queue-record.ts';
import type { LadderRecord, LadderStore } from '../ports/ladder-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import { checkIfMatch, etagOf } from '../queues/etag.ts';

/** The maximum of ladders. All of them are in one response. */
const LADDERS_MAX = 100;
/** The maximum of tries to change a ladder that others are changing. */
const TRIES_MAX = 5;

/** @throws Problem (404) */
export async function openLadder(ladders: Pick<LadderStore, 'get'>, ladder: string): Promise<LadderRecord> {
  const record = await ladders.get(ladder);
  if (record === undefined) throw unknownLadder(ladder);
  return record;
}

/** All ladders, sorted by name. */
export async function listLadders(ladders: LadderStore): Promise<LadderDefinition[]> {
  return (await ladders.list()).map(({ definition }) => definition);
}

/**
 * Parses the definition that a client PUTs under a name.
 * @throws Problem (400)
 */
export function parsePutLadder(ladder: string, body: unknown): LadderDefinition {
  const { data, problems = [] } = check(ladderDefinition, body);
  const { name } = named.safeParse(body).data ?? { name: ladder };
  if (name !== ladder)
    problems.push({ pointer: '#/name', detail: `Expected the name in the path, ${ladder}, got ${name}` });
  if (data === undefined || problems.length > 0) throw invalid('The ladder definition', problems);
  return data;
}

const named = z.object({ name: queueName });

/**
 * Creates a ladder or changes its definition, by one conditional write. The same definition again changes nothing.
 *
 * A result holds the definition that was in force when it was accepted, so open matches and results that are not rated yet
 * need nothing from a change.
 * @param more who changes it, and what a deployment notes
 * @param ifMatch the ETag of the definition that may be replaced @default any may be replaced
 * @throws Problem 409 there are too many ladders for another one, 412 another definition is in force
 */
export async function putLadder(
  ladders: LadderStore,
  definition: LadderDefinition,
  nowMs: number,
  more: Pick<DefinitionChange, 'by'> & { readonly deployed?: Deployed } = {},
  ifMatch?: string,
): Promise<{ outcome: 'created' | 'changed' | 'unchanged'; etag: string }> {
  const { name } = definition;
  const { deployed, ...by } = more;
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const old = await ladders.get(name);
    if (old !== undefined && isDeepStrictEqual(old.definition, definition))
      return { outcome: 'unchanged', etag: etagOf(old) };
    if (ifMatch !== undefined) checkIfMatch(ifMatch, 'ladder', name, old);
    if (old === undefined && (await ladders.list()).length >= LADDERS_MAX) throw tooManyLadders(name);
    const version = (old?.change.version ?? 0) + 1;
    const change: DefinitionChange = { version, at: new Date(nowMs).toISOString(), ...by };
    const record: LadderRecord = { definition, change, ...(deployed && { deployed }) };
    if (await ladders.put(record))
      return { outcome: old === undefined ? 'created' : 'changed', etag: etagOf(record) };
  }
  throw new StoreBusy(`ladder ${name} is being changed by others`);
}

/**
 * Removes a ladder. Its ratings expire, and a ladder of the same name finds them again until then. A queue that names it at the
 * same moment is not seen: its tickets are rejected then, until the ladder is put again.
 * @param ifMatch the ETag of the definition that may be removed @default any
 * @throws Problem 404 no such ladder, 409 a queue names it, 412 another definition is in force
 */
export async function deleteLadder(
  deps: { readonly ladders: LadderStore; readonly queues: Pick<QueueStore, 'list'> },
  ladder: string,
  ifMatch?: string,
): Promise<void> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const old = await openLadder(deps.ladders, ladder);
    if (ifMatch !== undefined) checkIfMatch(ifMatch, 'ladder', ladder, old);
    const { records } = await deps.queues.list();
    const using = records.filter(({ definition }) => definition.ladder === ladder);
    if (using.length > 0)
      throw inUse(
        ladder,
        using.map(({ definition }) => definition.name),
      );
    if (await deps.ladders.remove(old)) return;
  }
  throw new StoreBusy(`ladder ${ladder} is being changed by others`);
}

/**
 * Checks that the ladder that a queue definition names exists.
 * @throws Problem (400)
 */
export async function checkLadderOf(
  ladders: Pick<LadderStore, 'get'>,
  { ladder }: { readonly ladder?: string | undefined },
): Promise<void> {
  if (ladder === undefined || (await ladders.get(ladder)) !== undefined) return;
  throw invalid('The queue definition', [
    {
      pointer: '#/ladder',
      detail: `Expected the name of a ladder (GET /ladders), got ${ladder}: PUT /ladders/${ladder} first`,
    },
  ]);
}

function unknownLadder(ladder: string): Problem {
  return new Problem(404, `There is no ladder ${JSON.stringify(ladder)}. GET /ladders lists all ladders.`);
}

function tooManyLadders(ladder: string): Problem {
  return new Problem(
    409,
    `Expected fewer than ${LADDERS_MAX} ladders before ladder ${ladder} is created. DELETE a ladder that no queue names.`,
  );
}

function inUse(ladder: string, queues: readonly string[]): Problem {
  return new Problem(
    409,
    `Ladder ${ladder} cannot be removed: ${queues.length === 1 ? 'queue' : 'the queues'} ${queues.slice(0, 10).join(', ')} ${queues.length === 1 ? 'names' : 'name'} it. Change or delete ${queues.length === 1 ? 'it' : 'them'} first; a deleted queue counts until it is removed.`,
  );
}
