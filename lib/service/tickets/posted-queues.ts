import * as z from 'zod';
import { type FieldProblem, invalid, Problem, parseWith } from '../../contract/problem.ts';
import { LIMITS, queueName } from '../../contract/queue-definition.ts';
import type { NewTicket } from '../../contract/ticket.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import { runningVariants } from '../domain/running-experiment.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { openQueue } from '../queues/read-queues.ts';
import { placeScope } from './one-place.ts';
import { readNewTicket } from './parse-tickets.ts';
import { type SkillDeps, withRatedSkills } from './rated-skills.ts';

export interface PostedQueuesDeps extends SkillDeps {
  readonly queues: QueueStore;
}

/** A posted ticket in one of its queues. */
export interface PostedTo {
  readonly record: QueueRecord;
  readonly ticket: NewTicket;
}

/**
 * Reads a posted ticket in each of its queues: that of the post, and those of `also`. Nothing is written.
 * @throws Problem 400 that names every invalid field and its queue, 404 one of the queues is missing or closed, 409 a ladder was removed
 */
export async function readPosted(
  deps: PostedQueuesDeps,
  record: QueueRecord,
  body: unknown,
  nowMs: number,
): Promise<readonly [PostedTo, ...PostedTo[]]> {
  const posted: Part[] = await partsOf(deps, record, body);
  const read = await Promise.all(posted.map((part) => readPart(deps, part, nowMs)));
  const problems = read.flatMap((one) => one.problems);
  const tickets = read.flatMap(({ ticket }, i) => (ticket ? [{ record: posted[i]!.record, ticket }] : []));
  if (problems.length === 0) problems.push(...otherPlayers(tickets), ...tooManyPlaces(tickets));
  if (problems.length > 0) throw invalid('The ticket', problems);
  return tickets as unknown as readonly [PostedTo, ...PostedTo[]];
}

/** The body of a ticket in one queue. */
interface Part {
  readonly record: QueueRecord;
  readonly body: unknown;
  /** The index in `also`; absent for the queue of the post. */
  readonly index?: number;
}

/** The players and `split` of each are read like those of the post. */
const furtherQueue = z.strictObject({
  queue: queueName,
  players: z.unknown().optional(),
  split: z.unknown().optional(),
});
const furtherQueues = z.object({ also: z.array(furtherQueue).min(1).max(LIMITS.alsoMax) });

async function partsOf(deps: PostedQueuesDeps, record: QueueRecord, body: unknown): Promise<Part[]> {
  if ((body as { also?: unknown } | null)?.also === undefined) return [{ record, body }];
  const { also, ...own } = body as { also: unknown; players?: unknown; split?: unknown };
  const further = parseWith(furtherQueues, { also }, 'The ticket').also;
  const { name, group } = record.definition;
  if (group === undefined)
    throw invalid('The ticket', [
      {
        pointer: '#/also',
        detail: `Expected no further queues, because queue ${name} has no group, got ${further.map(({ queue }) => queue).join(', ')}`,
      },
    ]);
  const names = [name, ...further.map(({ queue }) => queue)];
  const repeated = further.flatMap(({ queue }, i) =>
    names.indexOf(queue) <= i
      ? [{ pointer: `#/also/${i}/queue`, detail: `Expected each queue once, got ${queue} again` }]
      : [],
  );
  if (repeated.length > 0) throw invalid('The ticket', repeated);
  const records = await Promise.all(further.map(({ queue }, i) => openFurther(deps, queue, i)));
  const ofOtherGroup = records.flatMap(({ definition }, i) =>
    definition.group === group
      ? []
      : [
          {
            pointer: `#/also/${i}/queue`,
            detail: `Expected a queue of group ${group}, as ${name} is, got ${definition.name}, which ${definition.group === undefined ? 'has no group' : `is of group ${definition.group}`}`,
          },
        ],
  );
  if (ofOtherGroup.length > 0) throw invalid('The ticket', ofOtherGroup);
  const parts = further.map(({ queue: _, ...more }, index): Part => {
    const players = 'players' in more ? more.players : withoutSkill(own.players, records[index]!);
    const split = own.split === undefined ? {} : { split: own.split };
    return {
      record: records[index]!,
      body: { ticketId: 'checked-above', ...split, ...more, players },
      index,
    };
  });
  return [{ record, body: own }, ...parts];
}

async function openFurther(deps: PostedQueuesDeps, queue: string, index: number): Promise<QueueRecord> {
  try {
    return await openQueue(deps.queues, queue, DEFINITION_AGE_MS);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error;
    const errors = [{ pointer: `#/also/${index}/queue`, detail: error.message }];
    throw new Problem(404, error.message, { errors });
  }
}

/** The players of the post in the form for a further queue: without skill if it has a ladder. */
function withoutSkill(players: unknown, { definition: { ladder } }: QueueRecord): unknown {
  if (ladder === undefined || !Array.isArray(players)) return players;
  return players.map((player) => {
    if (typeof player !== 'object' || player === null) return player;
    const { skill: _, ...rest } = player;
    return rest;
  });
}

async function readPart(
  deps: PostedQueuesDeps,
  part: Part,
  nowMs: number,
): Promise<{ readonly ticket?: NewTicket | undefined; readonly problems: FieldProblem[] }> {
  const { definition } = part.record;
  try {
    const skilled = await withRatedSkills(deps, definition, part.body);
    const { ticket, problems } = readNewTicket(skilled, definition, runningVariants(part.record, nowMs));
    return { ticket, problems: problems.map((problem) => pointed(problem, part)) };
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400) throw error;
    return { problems: error.errors.map((problem) => pointed(problem, part)) };
  }
}

/** A problem of a further queue, with the pointer into the body and the name of the queue. */
function pointed({ pointer, detail }: FieldProblem, { record, index }: Part): FieldProblem {
  if (index === undefined) return { pointer, detail };
  const queue = record.definition.name;
  return {
    pointer: `#/also/${index}${pointer.slice(1)}`,
    detail: `Queue ${queue}: ${detail}`,
  };
}

/** The problems of further queues whose players differ from those of the post. */
function otherPlayers([first, ...further]: readonly PostedTo[]): FieldProblem[] {
  const idsOf = ({ ticket }: PostedTo) => ticket.players.map(({ playerId }) => playerId).sort();
  const own = idsOf(first!);
  return further.flatMap((one, i) => {
    const theirs = idsOf(one);
    if (theirs.join() === own.join()) return [];
    return [
      {
        pointer: `#/also/${i}/players`,
        detail: `Queue ${one.record.definition.name}: Expected the players of the ticket (${own.join(', ')}), got ${theirs.join(', ')}`,
      },
    ];
  });
}

/** A problem if the places of all players in all queues exceed the transaction of the ticket. */
function tooManyPlaces(posted: readonly PostedTo[]): FieldProblem[] {
  const scopes = new Set(posted.flatMap(({ record }) => placeScope(record.definition) ?? []));
  const { players, replaces } = posted[0]!.ticket;
  const most = LIMITS.onePlacePartyMax - (replaces === undefined ? 0 : 1);
  if (scopes.size < 2 || scopes.size * players.length <= most) return [];
  return [
    {
      pointer: '#/players',
      detail: `Expected at most ${Math.floor(most / scopes.size)} players in a ticket of ${scopes.size} queues with onePlace, got ${players.length}`,
    },
  ];
}
