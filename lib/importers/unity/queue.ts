import * as z from 'zod';
import { expectation } from '../../contract/expectation.ts';

/**
 * A queue of Unity Matchmaker as its configuration files (`.mmq`) have it, or the match logic of one pool. Names of fields may
 * begin with a capital letter. Unknown fields are kept, so that the import can name them.
 */
const relaxation = z.looseObject({
  type: z.string(),
  ageType: z.string().optional(),
  atSeconds: z.number().min(0),
  value: z.unknown().optional(),
});
const range = z
  .looseObject({
    min: z.number(),
    max: z.number(),
    relaxations: z.array(relaxation).nullish(),
  })
  .superRefine(({ min, max }, context) => {
    if (min <= max) return;
    const message = `Expected at most max (${max}), got ${min}`;
    context.addIssue({ code: 'custom', path: ['min'], message });
  });
const rule = z.looseObject({
  name: z.string().optional(),
  type: z.string(),
  source: z.string(),
  reference: z.unknown().optional(),
  overlap: z.number().optional(),
  not: z.boolean().optional(),
  enableRule: z.boolean().optional(),
  relaxations: z.array(relaxation).nullish(),
});
const team = z.looseObject({
  name: z.string().min(1),
  teamCount: range,
  playerCount: range,
  teamRules: z.array(rule).nullish(),
});
const matchLogic = z.looseObject({
  name: z.string().optional(),
  backfillEnabled: z.boolean().optional(),
  matchDefinition: z.looseObject({ teams: z.array(team).min(1), matchRules: z.array(rule).nullish() }),
});
const pool = z.looseObject({
  name: z.string().min(1),
  timeoutSeconds: z.number().optional(),
  filters: z.array(z.unknown()).nullish(),
  matchLogic,
});
const queue = z.looseObject({
  name: z.string().min(1),
  maxPlayersPerTicket: z.number().optional(),
  defaultPool: pool.optional(),
  filteredPools: z.array(pool).nullish(),
});

const logicAlone = matchLogic.transform((logic) => ({
  name: logic.name ?? 'imported',
  pools: [{ name: '', matchLogic: logic }],
}));
const wholeQueue = queue.transform(({ defaultPool, filteredPools, ...rest }) => ({
  ...rest,
  pools: [...(defaultPool ? [defaultPool] : []), ...(filteredPools ?? [])],
}));

export const unityQueue = z.preprocess(
  (value) => withSmallLetters(value),
  // Not a union: what is wrong with match logic is not that it is no queue.
  z.unknown().transform((value, context): UnityQueue => {
    const isLogic = typeof value === 'object' && value !== null && 'matchDefinition' in value;
    const { data, error } = (isLogic ? logicAlone : wholeQueue).safeParse(value, { error: expectation });
    if (data !== undefined) return data;
    for (const { path, message } of error!.issues) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  }),
);

export type UnityQueue = {
  readonly name: string;
  readonly maxPlayersPerTicket?: number | undefined;
  readonly pools: readonly UnityPool[];
};
export type UnityPool = {
  readonly name: string;
  readonly timeoutSeconds?: number | undefined;
  readonly filters?: readonly unknown[] | null | undefined;
  readonly matchLogic: z.output<typeof matchLogic>;
};
export type UnityRule = z.output<typeof rule>;
export type UnityRelaxation = z.output<typeof relaxation>;
export type UnityTeam = z.output<typeof team>;

/** The same value with names of fields that begin with a small letter. */
function withSmallLetters(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSmallLetters);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, own]) => [
      key.charAt(0).toLowerCase() + key.slice(1),
      withSmallLetters(own),
    ]),
  );
}
