import { SKILL } from '../../rules/values.ts';
import { type ConvertedRule, plainly } from '../relaxation.ts';
import type { Report } from '../report.ts';
import { EMPTY_SEAT_COST } from '../sizes.ts';
import { measuredBy } from './measured.ts';
import type { Source } from './source.ts';
import { parseStatement, rulesIn } from './statement.ts';

/** The teams of the queue. */
export function teamsOf(source: Source): Record<string, unknown> {
  return {
    teams: source.teams.map(({ ours, quantity, least, most }) => ({
      name: ours,
      size: most,
      ...(quantity > 1 && { count: quantity }),
      ...(least < most && { minSize: least }),
    })),
    ...(!source.hasFixedSizes && { short: { afterSeconds: 0, cost: EMPTY_SEAT_COST } }),
  };
}

export function reportTeams(source: Source, report: Report): void {
  source.set.teams.forEach((team, i) => {
    const { name, ours, quantity, least, most } = source.teams[i]!;
    const notes = [
      ...(ours !== name ? [`its name is ${ours}`] : []),
      ...(quantity > 1 ? [`its teams are named ${ours}-1 to ${ours}-${quantity}`] : []),
      ...(least < most ? ['larger matches go first; running matches get more players by backfill'] : []),
    ];
    report.same(`teams[${name}]`, notes.length === 0 ? undefined : notes.join('; '));
    report.unknown(`teams[${name}]`, team, ['name', 'minPlayers', 'maxPlayers', 'quantity']);
  });
}

/** The sizes of teams that expansions change, as counts of their players. */
export function sizeRulesOf(source: Source): { name: string; target: string; rule: ConvertedRule }[] {
  return source.set.teams.flatMap(({ name, minPlayers, maxPlayers }, i) => {
    const left = { of: 'count', attribute: SKILL, team: source.teams[i]!.ours } as const;
    const target = `teams[${name}]`;
    const isRelaxed = (key: string) => source.stepsOf(`${target}.${key}`).length > 0;
    return [
      ...(isRelaxed('minPlayers')
        ? [
            {
              name: `${name} minPlayers`,
              target,
              rule: {
                body: { type: 'compare', left, op: '>=', right: minPlayers } as const,
                limits: { minPlayers: { key: 'right', isUpper: false, of: plainly } as const },
              },
            },
          ]
        : []),
      ...(isRelaxed('maxPlayers')
        ? [
            {
              name: `${name} maxPlayers`,
              target,
              rule: {
                body: { type: 'compare', left, op: '<=', right: maxPlayers } as const,
                limits: { maxPlayers: { key: 'right', isUpper: true, of: plainly } as const },
              },
            },
          ]
        : []),
    ];
  });
}

/** Whether the two teams of every match have the same number of players: by their sizes, or by a rule that always holds. */
export function haveEqualTeams(source: Source): boolean {
  const teams = source.teams.flatMap((team) => new Array<typeof team>(team.quantity).fill(team));
  if (teams.length !== 2) return false;
  if (source.hasFixedSizes) return teams[0]!.most === teams[1]!.most;
  const rules = source.set.rules ?? [];
  const combined = rules.flatMap(({ statement = '' }) => {
    const parsed = parseStatement(statement);
    return parsed === undefined ? [] : rulesIn(parsed);
  });
  return rules.some(({ name, type, operation, measurements = [], referenceValue }) => {
    if (type !== 'comparison' || operation !== '=' || combined.includes(name)) return false;
    const sides = [measurements[0], referenceValue].map((text) =>
      typeof text === 'string' ? measuredBy(text, source) : undefined,
    );
    const isCount = (side: (typeof sides)[number]) =>
      side?.of === 'count' && side.attribute === undefined && typeof side.who === 'object';
    return sides.every(isCount) && sides[0]!.who !== sides[1]!.who;
  });
}
