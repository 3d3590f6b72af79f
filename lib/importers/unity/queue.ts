import * as z from 'zod';
import { parseWith } from '../../contract/problem.ts';
import { distinct, inOrder, refuseLists } from '../importer.ts';
import { reading } from '../reading.ts';

/**
 * A queue of Unity Matchmaker as its configuration files (`.mmq`) have it, or the match logic of one pool. Names of fields may
 * begin with a capital letter.
 */
const relaxation = z.object({
  type: z.string(),
  ageType: z.string().default('Oldest'),
  atSeconds: z.number().min(0),
  value: z.unknown().optional(),
});
const range = z
  .object({
    min: z.number(),
    max: z.int().min(1),
    relaxations: z.array(relaxation).nullish(),
  })
  .superRefine(inOrder('min', 'max'));
const rule = z.object({
  name: z.string().optional(),
  type: z.string(),
  source: z.string(),
  reference: z.unknown().optional(),
  overlap: z.number().optional(),
  not: z.boolean().optional(),
  enableRule: z.boolean().optional(),
  relaxations: z.array(relaxation).nullish(),
});
const team = z.object({
  name: z.string().min(1),
  teamCount: range,
  playerCount: range,
  teamRules: z.array(rule).nullish(),
});
const matchLogic = z.object({
  name: z.string().optional(),
  backfillEnabled: z.boolean().optional(),
  defaultQosRegion: z.string().optional(),
  matchDefinition: z.object({ teams: distinct(team, 'name').min(1), matchRules: z.array(rule).nullish() }),
});
const pool = z.object({
  name: z.string().min(1),
  enabled: z.boolean().optional(),
  timeoutSeconds: z.number().optional(),
  filters: z.array(z.unknown()).nullish(),
  variants: z.array(z.unknown()).nullish(),
  matchHosting: z.object({ type: z.string().optional() }).nullish(),
  matchLogic,
});
const queue = z.object({
  $schema: z.string().optional(),
  name: z.string().min(1),
  enabled: z.boolean().optional(),
  maxPlayersPerTicket: z.number().optional(),
  defaultPool: pool.nullish(),
  filteredPools: z.array(pool).nullish(),
});

export type UnityQueue = z.output<typeof queue>;
export type UnityLogic = z.output<typeof matchLogic>;
export type UnityFile = UnityQueue | UnityLogic;
export type UnityPool = z.output<typeof pool>;
export type UnityRule = z.output<typeof rule>;
export type UnityRelaxation = z.output<typeof relaxation>;
export type UnityTeam = z.output<typeof team>;

/** @throws Problem */
export function readUnity(json: unknown, path: string): UnityFile {
  const value = withSmallLetters(json);
  const isLogic = typeof value === 'object' && value !== null && 'matchDefinition' in value;
  refuseLists(json, path, 'one queue with a defaultPool, or the match logic of one pool', [
    'queues',
    'pools',
  ]);
  return reading(
    json,
    parseWith<z.ZodType<UnityFile>>(isLogic ? matchLogic : queue, value, path),
    smallLetter,
  );
}

/** The same value with names of fields that begin with a small letter. */
function withSmallLetters(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSmallLetters);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, own]) => [smallLetter(key), withSmallLetters(own)]),
  );
}

function smallLetter(key: string): string {
  return key.charAt(0).toLowerCase() + key.slice(1);
}
