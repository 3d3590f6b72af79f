import { type DraftTeam, renamed, sizeOf } from '../draft.ts';
import { pathOf } from '../reading.ts';
import { type ConvertedRule, lower, upper } from '../relaxation.ts';
import type { Report } from '../report.ts';
import { measuredBy } from './measured.ts';
import type { Source } from './source.ts';
import { parseStatement, rulesIn } from './statement.ts';

/** The teams of the queue. */
export function teamsOf(source: Source): DraftTeam[] {
  return source.teams.map(({ ours, quantity, least, most }) => ({
    name: ours,
    least,
    most,
    count: quantity,
  }));
}

export function reportTeams(source: Source, report: Report): void {
  source.set.teams.forEach((team, i) => {
    const { name, ours, quantity, least, most } = source.teams[i]!;
    report.same(
      pathOf(team),
      renamed(name, ours),
      quantity > 1 ? `its teams are named ${ours}-1 to ${ours}-${quantity}` : undefined,
      least < most ? 'larger matches go first; running matches get more players by backfill' : undefined,
    );
  });
}

/** The sizes of teams that expansions change, as counts of their players. */
export function sizeRulesOf(source: Source): { name: string; target: string; rule: ConvertedRule }[] {
  const sizes = [
    { key: 'minPlayers', op: '>=', limit: lower('right') },
    { key: 'maxPlayers', op: '<=', limit: upper('right') },
  ] as const;
  return source.set.teams.flatMap((team, i) =>
    sizes.flatMap(({ key, op, limit }) => {
      const target = `teams[${team.name}]`;
      if (source.stepsOf(`${target}.${key}`).length === 0) return [];
      const left = sizeOf(source.teams[i]!.ours);
      const rule = {
        body: { type: 'compare', left, op, right: team[key] } as const,
        limits: { [key]: limit },
      };
      return [{ name: `${team.name} ${key}`, target, rule }];
    }),
  );
}

/** Whether the two teams of every match have the same number of players: by their sizes, or by a rule that always holds. */
export function haveEqualTeams(source: Source): boolean {
  if (source.teams.reduce((sum, { quantity }) => sum + quantity, 0) !== 2) return false;
  const teams = source.teams.flatMap((team) => new Array<typeof team>(team.quantity).fill(team));
  if (source.hasFixedSizes) return teams[0]!.most === teams[1]!.most;
  const combined = combinedRules(source);
  return (source.set.rules ?? []).some((rule) => {
    if (rule.type !== 'comparison' || combined.has(rule.name)) return false;
    const { operation, measurements = [], referenceValue } = rule;
    if (operation !== '=') return false;
    const sides = [measurements[0], referenceValue].map((text) =>
      typeof text === 'string' ? measuredBy(text, source) : undefined,
    );
    const isCount = (side: (typeof sides)[number]) =>
      side?.of === 'count' && side.attribute === undefined && typeof side.who === 'object';
    return sides.every(isCount) && sides[0]!.who !== sides[1]!.who;
  });
}

/** The rules that compound rules are made of, with the name of the compound one. */
export function combinedRules({ set }: Source): ReadonlyMap<string, string> {
  return new Map(
    (set.rules ?? []).flatMap((rule) => {
      const statement = rule.type === 'compound' ? parseStatement(rule.statement ?? '') : undefined;
      return statement === undefined ? [] : rulesIn(statement).map((one) => [one, rule.name] as const);
    }),
  );
}
