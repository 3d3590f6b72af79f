import * as z from 'zod';
import { parseWith } from '../../contract/problem.ts';
import { SKILL } from '../../rules/values.ts';
import { expected } from '../../vocabulary/expected.ts';
import type { ImportOptions } from '../importer.ts';
import { blockListOf } from './by-type/collection.ts';
import { type FlexMatchRuleSet, number } from './rule-set.ts';
import { Source } from './source.ts';

const attributeValue = z.looseObject({
  N: number.optional(),
  S: z.string().optional(),
  SL: z.array(z.string()).optional(),
  SDM: z.record(z.string(), number).optional(),
});

const player = z.looseObject({
  PlayerId: z.string().min(1),
  PlayerAttributes: z.record(z.string(), attributeValue).optional(),
  LatencyInMs: z.record(z.string(), z.number()).optional(),
});

/** ISO 8601, or seconds since the epoch as the command line of AWS prints them. */
const dateOf = (time: string | number) => new Date(typeof time === 'number' ? 1000 * time : time);
const startTime = z
  .union([z.string(), z.number()])
  .refine((time) => !Number.isNaN(dateOf(time).getTime()), {
    error: expected('a date in ISO 8601, or seconds since the epoch'),
  })
  .transform(dateOf);

const ticket = z.looseObject({
  TicketId: z.string().min(1),
  StartTime: startTime.optional(),
  Players: z.array(player).min(1),
});

/** Requests of StartMatchmaking, or the output of DescribeMatchmaking: `TicketList`. */
export const flexMatchTickets = z.union([
  z.array(ticket),
  z.looseObject({ TicketList: z.array(ticket) }).transform(({ TicketList }) => TicketList),
]);

type FlexTicket = z.output<typeof ticket>;
type FlexPlayer = FlexTicket['Players'][number];

/** Tickets in the form of `muster match`. @throws Problem */
export function ticketsOf(
  json: unknown,
  path: string,
  set: FlexMatchRuleSet,
  options: ImportOptions,
  nowMs: number,
): object[] {
  const source = new Source(set, options);
  return parseWith(flexMatchTickets, json, path).map((one) => ticketOf(one, source, nowMs));
}

/** A ticket in the form of `muster match`. Not checked yet: what the queue does not accept is reported there. */
export function ticketOf(
  { TicketId, StartTime, Players }: FlexTicket,
  source: Source,
  nowMs: number,
): object {
  return {
    ticketId: TicketId,
    enqueuedAt: (StartTime ?? new Date(nowMs)).toISOString(),
    players: Players.map((one) => playerOf(one, source)),
  };
}

function playerOf({ PlayerId, PlayerAttributes = {}, LatencyInMs }: FlexPlayer, source: Source): object {
  const blockLists = (source.set.rules ?? []).map((rule) => blockListOf(rule, source));
  const attributes: Record<string, unknown> = {};
  const avoid: string[] = [];
  let skill: number | undefined;
  for (const [name, value] of Object.entries(PlayerAttributes)) {
    if (name === source.skill) skill = value.N;
    else if (blockLists.includes(name)) avoid.push(...(value.SL ?? []));
    else if (value.SDM === undefined) attributes[source.nameOf(name)] = value.N ?? value.S ?? value.SL;
  }
  const fallback = source.set.playerAttributes?.find(({ name }) => name === source.skill)?.default;
  return {
    playerId: PlayerId,
    [SKILL]: (source.skill === undefined ? 0 : (skill ?? Number(fallback))) + source.skillOffset,
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(avoid.length > 0 && { avoid }),
    ...(LatencyInMs !== undefined && { latencyMs: LatencyInMs }),
  };
}
