import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definition } from '../service/definitions.ts';
import { file, muster } from './muster.ts';

const examples = join(import.meta.dirname, '../../examples/custom-rules');
const code = join(examples, 'rules.ts');
const arena = join(examples, 'arena.json');

const solo = (ticketId: string, skill: number, attributes: object) => ({
  ticketId,
  enqueuedAt: '2026-01-01T00:00:00Z',
  players: [{ playerId: `${ticketId}.p`, skill, attributes: { votes: ['docks'], ...attributes } }],
});
const match = async (tickets: readonly object[], ...more: string[]) => {
  const args = ['--queue', arena, '--tickets', file('tickets.json', tickets), '--code', code, ...more];
  const { status, stdout, stderr } = await muster('match', ...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
};

const idsOf = (teams: readonly { players: readonly { ticketId: string }[] }[]) =>
  teams.flatMap(({ players }) => players.map(({ ticketId }) => ticketId));

describe('the examples of docs/custom-rules.md', () => {
  it('are the text of the page', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/custom-rules.md'), 'utf8');
    expect(page).toContain(`\`\`\`ts\n${readFileSync(code, 'utf8')}\`\`\``);
    const rules = JSON.parse(readFileSync(arena, 'utf8')).rules;
    expect(
      JSON.parse(/```json\n("rules": \[[\s\S]*?\n\])\n```/.exec(page)![1]!.replace(/^/, '{').concat('}')),
    ).toEqual({ rules });
  });

  it('map votes: a match needs a map with enough votes, and fewer after a wait', async () => {
    const some = [1, 2, 3, 4].map((n) => solo(`t${n}`, 1500, n > 2 ? { votes: ['fort'] } : {}));
    const early = await match(some);
    expect(early.matches).toEqual([]);
    expect(early.waiting[0].reason).toContain('without the rule Votes');
    expect((await match(some, '--now', '2026-01-01T00:00:30Z')).matches).toHaveLength(1);
  });

  it('newcomers apart: a match has one of two newcomers, although both together would be closer', async () => {
    const skills = [1500, 1500, 1500, 1500, 1510];
    const some = skills.map((skill, i) => solo(`t${i}`, skill, i < 2 ? { played: 1 } : {}));
    const { matches } = await match(some);
    expect(matches).toHaveLength(1);
    const [{ teams, rules, lowerBound, priority }] = matches;
    expect(idsOf(teams).filter((id) => ['t0', 't1'].includes(id))).toHaveLength(1);
    expect(rules.Newcomers).toEqual({ cost: 0 });
    expect(lowerBound).toBeLessThanOrEqual(priority);
  });

  it('rivalry: two clans meet although others are nearer in skill, and ranks that are far apart do not', async () => {
    const clan = (id: string, skill: number, name: string) => solo(id, skill, { clan: name });
    const some = [clan('a1', 1500, 'a'), clan('a2', 1500, 'a'), clan('b1', 1508, 'b'), clan('b2', 1508, 'b')];
    const others = [solo('x', 1501, {}), solo('y', 1501, { rank: 16 })];
    const { matches, waiting } = await match([...some, ...others]);
    expect(idsOf(matches[0].teams).sort()).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(matches[0].rules.Rivalry).toEqual({ cost: 0 });
    expect(waiting.map(({ ticketId }: { ticketId: string }) => ticketId).sort()).toEqual(['x', 'y']);
  });
});

describe('--code', () => {
  const quick = ['--players', '60', '--attributes', 'x'].slice(0, 2);

  it('is there for simulate and for the threads of tune', async () => {
    const queue = file(
      'even.json',
      definition({ rules: [{ name: 'Even', type: 'custom', function: 'never' }] }),
    );
    const never = file('never.ts', 'export const never = (): string => "no match is good enough";\n');
    const run = await muster('simulate', '--queue', queue, '--code', never, ...quick, '--json');
    expect({ status: run.status, stderr: run.stderr }).toMatchObject({ status: 0 });
    expect(JSON.parse(run.stdout).matches).toBe(0);
    const tuned = await muster('tune', '--queue', queue, '--code', never, ...quick, '--json');
    expect(tuned.stderr).not.toContain('Expected a function');
  });

  it('plays random matches for validate, and names the function that is wrong with a match', async () => {
    const good = await muster('validate', arena, '--code', code);
    expect(good.status).toBe(0);
    expect(good.stderr).toMatch(
      /rule Votes: enoughVotes permits \d+ % of 1,000 random matches, \d+ µs a call/,
    );
    const queue = file(
      'wrong.json',
      definition({ rules: [{ name: 'Even', type: 'custom', function: 'never' }] }),
    );
    const wrong = await muster(
      'validate',
      queue,
      '--code',
      file('wrong.ts', 'export const never = () => 7;\n'),
    );
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toMatch(
      /#\/rules\/0\/function: Expected true or a reason, got 7, in the match \[\[/,
    );
  });

  it('names what is missing: the option, the function or the file', async () => {
    const tickets = file('none.json', []);
    const without = await muster('match', '--queue', arena, '--tickets', tickets);
    expect(without.status).toBe(2);
    expect(without.stderr).toContain(
      `${arena}: #/rules/0/function: Expected a function of the deployed code, got enoughVotes for rule Votes: there is no code`,
    );
    const other = file('other.ts', 'export const rivalry = () => 1;\n');
    const wrong = await muster('validate', arena, '--code', other);
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain('got enoughVotes for rule Votes: the code exports rivalry');
    const gone = await muster('validate', arena, '--code', `${other}.gone`);
    expect(gone.stderr).toContain('which does not exist');
  });

  it('names the file and the line of a module that does not compile, and why one does not load', async () => {
    const broken = file('broken.ts', 'export const a = 1;\nexport const b = (;\n');
    const { status, stderr } = await muster('validate', arena, '--code', broken);
    expect(status).toBe(2);
    expect(stderr).toMatch(/--code: .*broken\.ts:2:19: Unexpected ";"/);
    const node = file(
      'node.ts',
      "import { readFileSync } from 'node:fs';\nexport const a = () => readFileSync('x');\n",
    );
    expect((await muster('validate', arena, '--code', node)).stderr).toMatch(
      /node\.ts:1:30: Could not resolve "node:fs"/,
    );
    const throwing = file('throwing.ts', 'throw new Error("not today");\n');
    expect((await muster('validate', arena, '--code', throwing)).stderr).toContain(
      'the module cannot be loaded: not today',
    );
  });
});
