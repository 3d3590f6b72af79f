import { describe, expect, it } from 'vitest';
import { type Imported, importRuleSet } from '../../../lib/cli/flexmatch/import-rule-set.ts';
import { flexMatchRuleSet } from '../../../lib/cli/flexmatch/rule-set.ts';
import { checkQueueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { Game, Ticket } from '../../../lib/engine/types.ts';
import { planTick } from '../../../lib/policies/plan.ts';
import type { RuledPlayer } from '../../../lib/rules/types.ts';
import { misfits } from '../../../lib/service/tickets/misfits.ts';
import { seeded } from '../../engine/random-pool.ts';
import { file, muster } from '../muster.ts';
import { brokenRules, type FlexPlayer } from './interpreter.ts';
import * as ruleSets from './rule-sets.ts';

const imported = (ruleSet: object, options = {}): Imported =>
  importRuleSet(flexMatchRuleSet.parse(ruleSet), options);
const outcomes = ({ lines }: Imported) =>
  Object.fromEntries(lines.map(({ property, outcome }) => [property, outcome]));

describe('a FlexMatch rule set', () => {
  it('of two even teams becomes a balance rule that relaxes with the original', () => {
    const { definition, ...rest } = imported(ruleSets.evenTeams);
    expect(definition).toMatchObject({
      name: 'even-teams',
      teamSize: 3,
      rules: [
        {
          name: 'FairTeams',
          type: 'balance',
          attribute: 'skill',
          max: 20,
          relax: [
            { waitSeconds: 5, max: 100 },
            { waitSeconds: 15, max: 200 },
          ],
        },
      ],
    });
    expect(outcomes({ definition, ...rest })).toEqual({
      'teams[red]': 'nearly the same',
      'teams[blue]': 'nearly the same',
      'playerAttributes[skill]': 'nearly the same',
      'rules[FairTeams]': 'same',
      'rules[EqualSizes]': 'same',
      'expansions[rules[FairTeams].maxDistance]': 'same',
    });
  });

  it('whose limits follow the oldest ticket keeps that', () => {
    const { definition, ...rest } = imported(ruleSets.intersections);
    expect(definition).toMatchObject({ teamSize: 2, relaxBy: 'oldest', backfill: { priority: 'low' } });
    expect(outcomes({ definition, ...rest })).toMatchObject({
      'rules[Modes]': 'same',
      'rules[Version]': 'same',
      'rules[Near]': 'nearly the same',
      'algorithm.backfillPriority': 'same',
    });
  });

  it('with a compound rule becomes anyOf, and block lists become the avoid of tickets', () => {
    const { definition, ...rest } = imported(ruleSets.compound);
    expect(definition).toMatchObject({
      rules: [{ name: 'Either', type: 'anyOf', rules: [{ type: 'same' }, { type: 'within' }] }],
    });
    expect(outcomes({ definition, ...rest })).toMatchObject({
      'rules[Either]': 'same',
      'rules[Blocked]': 'nearly the same',
    });
  });

  it('takes as skill the attribute that is named, else the one whose averages a rule compares, else the only number', () => {
    const twice = (result: Imported) =>
      result.lines.filter(({ note = '' }) => note.includes('twice')).map(({ property }) => property);
    expect(twice(imported(ruleSets.acrossPlayers))).toEqual(['playerAttributes[rating]']);
    expect(twice(imported(ruleSets.charactersAndLatency))).toEqual(['playerAttributes[rating]']);
    expect(twice(imported(ruleSets.sorted))).toEqual([]);
    const numbers = ['a', 'b'].map((name) => ({ name, type: 'number' }));
    expect(twice(imported({ ...ruleSets.sorted, playerAttributes: numbers }, { skill: 'b' }))).toEqual([
      'playerAttributes[b]',
    ]);
  });

  it('whose limits tighten has the stricter limit before that step too, and says so', () => {
    const { definition, ...rest } = imported(ruleSets.tightening);
    const [near, medic] = definition.rules as { relax?: object[] }[];
    expect(near).toMatchObject({
      max: 3,
      relax: [
        { waitSeconds: 5, max: 5 },
        { waitSeconds: 20, max: 6 },
      ],
    });
    expect(medic).toMatchObject({ atLeast: 1, atMost: 4 });
    expect(medic!.relax).toBeUndefined();
    const targets = rest.lines.filter(({ property }) => property.startsWith('expansions'));
    expect(targets.map(({ outcome }) => outcome)).toEqual(['nearly the same', 'nearly the same']);
    for (const { note } of targets) expect(note).toMatch('never tightens');
  });

  it('that counts the parties with a value is not imported, because Muster counts players', () => {
    const medics = (changes: object, expansions: object[] = []) => {
      const [, medic] = ruleSets.tightening.rules;
      const rules = [{ ...medic, minCount: undefined, maxCount: undefined, ...changes }];
      const ruleSet = JSON.parse(JSON.stringify({ ...ruleSets.tightening, rules, expansions }));
      return outcomes(imported(ruleSet))['rules[Medic]'];
    };
    const raised = [{ target: 'rules[Medic].minCount', steps: [{ waitTimeSeconds: 9, value: 2 }] }];
    expect(medics({ minCount: 1 })).toBe('same');
    expect(medics({ minCount: 2 })).toBe('not possible');
    expect(medics({ minCount: 1 }, raised)).toBe('not possible');
    expect(medics({ minCount: 1, partyAggregation: 'intersection' })).toBe('not possible');
    expect(medics({ maxCount: 2 })).toBe('nearly the same');
    expect(medics({ maxCount: 0 })).toBe('same');
  });

  it('with nested statements becomes rules that all have to hold, some of them anyOf', () => {
    const { definition, ...rest } = imported(ruleSets.nested);
    expect(outcomes({ definition, ...rest })).toMatchObject({
      'rules[All]': 'same',
      'rules[BlueBelowRed]': 'same',
    });
    expect(definition).toMatchObject({ teams: [{ name: 'red' }, { name: 'blue' }] });
    const types = (definition.rules as { type: string }[]).map(({ type }) => type);
    expect(types).toContain('anyOf');
    expect(types).toContain('compare');
  });

  it('names every property without a counterpart', () => {
    expect(outcomes(imported(ruleSets.sorted))).toMatchObject({ 'rules[ByMap]': 'nearly the same' });
    expect(outcomes(imported(ruleSets.hunters))).toMatchObject({ 'rules[Monster]': 'same' });
    for (const ruleSet of Object.values(ruleSets)) {
      if (!('rules' in ruleSet)) continue;
      const { lines } = imported(ruleSet);
      const compounds = ruleSet.rules.flatMap((rule) => ('statement' in rule ? rule.statement : [])).join();
      for (const { name } of ruleSet.rules) {
        if (compounds.includes(name)) continue;
        expect(lines.filter(({ property }) => property === `rules[${name}]`)).toHaveLength(1);
      }
    }
  });
});

describe.each(Object.entries(ruleSets.played))('the imported rule set %s', (_, ruleSet) => {
  const { definition } = imported(ruleSet);
  const queue = checkQueueDefinition({ ...definition, timeoutSeconds: 3600 }, 'The import');
  const isOldest = queue.relaxBy === 'oldest';

  it('is valid, and all of its matches of random tickets meet the original rules', () => {
    const random = seeded(20_180);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    let matches = 0;
    // Named teams and statements take longer to search.
    const rounds = ruleSet.name === 'nested' ? 30 : 150;
    for (let round = 0; round < rounds; round++) {
      const nowMs = 100_000;
      const tickets = Array.from({ length: 10 }, (_, i): Ticket => {
        const attributes: Record<string, string | number | string[]> = {};
        for (const { name, type } of ruleSet.playerAttributes) {
          if (name === 'skill' || name === 'blocked') continue;
          if (type === 'number') attributes[name] = Math.floor(10 * random());
          else if (type === 'string') attributes[name] = pick(['1', '2', '3', '4', '5']);
          else attributes[name] = pick([['duel'], ['medic'], ['duel', 'medic'], ['raid', 'duel']]);
        }
        const player: RuledPlayer = {
          playerId: `p${i}`,
          skill: Math.round(40 * random()),
          attributes,
          latencyMs: { east: 20 + Math.floor(100 * random()), west: 20 + Math.floor(100 * random()) },
        };
        expect(misfits({ players: [player] }, queue)).toEqual([]);
        return {
          ticketId: `t${i}`,
          enqueuedAtMs: nowMs - 1000 * Math.floor(30 * random()),
          players: [player],
        };
      });
      const byId = new Map(tickets.map((ticket) => [ticket.ticketId, ticket]));
      for (const match of planTick({ rules: queue, tickets, nowMs }).matches) {
        const ages = match.ticketIds.map((id) => (nowMs - byId.get(id)!.enqueuedAtMs) / 1000);
        const age = isOldest ? Math.max(...ages) : Math.min(...ages);
        expect({ round, broken: brokenRules(ruleSet, teamsOf(match, byId), age) }).toEqual({
          round,
          broken: [],
        });
        matches++;
      }
    }
    expect(matches).toBeGreaterThan(20);
  });

  function teamsOf({ teams }: Game, tickets: ReadonlyMap<string, Ticket>) {
    const names = ruleSet.teams.length === 2 ? ruleSet.teams.map(({ name }) => name) : ['side_1', 'side_2'];
    return Object.fromEntries(
      teams.map((team, t) => [
        names[t],
        team.map(({ ticketId }): FlexPlayer => {
          const [player] = tickets.get(ticketId)!.players as readonly RuledPlayer[];
          const { playerId, skill, attributes, latencyMs } = player!;
          return { playerId, attributes: { blocked: [], ...attributes, skill }, latencyMs: latencyMs! };
        }),
      ]),
    );
  }
});

describe.concurrent('muster import flexmatch', () => {
  it('prints the definition, and on standard error the result for each property', async () => {
    const path = file('even-teams-rules.json', ruleSets.evenTeams);
    const { status, stdout, stderr } = await muster('import', 'flexmatch', path, '--name', 'fair');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'fair', teamSize: 3 });
    expect(stderr).toContain('rules[FairTeams]: same\n');
    expect(stderr).toMatch(/teams\[red\]: nearly the same \(its teams always have 3 players/);
  });

  it('ends with status 1 when something is not possible, and with 2 for an invalid rule set', async () => {
    const [, medic] = ruleSets.tightening.rules;
    const counted = { ...ruleSets.tightening, rules: [{ ...medic, minCount: 2 }], expansions: [] };
    const impossible = await muster('import', 'flexmatch', file('counted-rules.json', counted));
    expect(impossible.status).toBe(1);
    expect(impossible.stderr).toMatch(/rules\[Medic\]: not possible \(a party counts once in FlexMatch/);
    const invalid = await muster('import', 'flexmatch', file('no-rules.json', { teams: [] }));
    expect(invalid.status).toBe(2);
    expect(invalid.stderr).toContain('#/ruleLanguageVersion');
  });
});
