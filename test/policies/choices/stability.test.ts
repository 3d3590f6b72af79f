import { describe, expect, test } from 'vitest';
import { adviseStability, type PreferenceRate } from '../../../lib/policies/choices/stability.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';

const SIDES = { attack: 5, defend: 5 };

const sides = (attack: number, defend: number, free: number) =>
  adviseStability(SIDES, [
    { accepts: ['attack'], rate: attack },
    { accepts: ['defend'], rate: defend },
    { accepts: [], rate: free },
  ]);

/** Players per second who get no seat, by a maximum flow on whole rates. */
const surplusByFlow = (
  places: Record<string, number>,
  preferences: readonly PreferenceRate[],
  total: number,
) => {
  const names = Object.keys(places);
  const seats = Object.values(places).reduce((sum, count) => sum + count, 0);
  const left = names.map((name) => (places[name] * total) / seats);
  const flow = preferences.map(() => names.map(() => 0));
  let placed = 0;
  const augment = (from: number, seen: Set<number>): boolean => {
    for (const [at, name] of names.entries()) {
      if (seen.has(at) || (preferences[from].accepts.length > 0 && !preferences[from].accepts.includes(name)))
        continue;
      seen.add(at);
      const freed = left[at] > 0 ? -1 : flow.findIndex((row, other) => row[at] > 0 && augment(other, seen));
      if (left[at] <= 0 && freed === -1) continue;
      if (freed === -1) left[at]--;
      else flow[freed][at]--;
      flow[from][at]++;
      return true;
    }
    return false;
  };
  preferences.forEach(({ rate }, from) => {
    for (let unit = 0; unit < rate; unit++) if (augment(from, new Set())) placed++;
  });
  return total - placed;
};

describe('the adviser on choices of side and role', () => {
  test('with two sides the wait is bounded exactly when choice-free players outnumber the difference', () => {
    expect(sides(0.5, 0.3, 0.21).stable).toBe(true);
    expect(sides(0.5, 0.3, 0.2).stable).toBe(false);
    expect(sides(0.3, 0.5, 0.1).stable).toBe(false);
    expect(sides(0.4, 0.4, 0).stable).toBe(false);
  });

  test('reports how many players have to become choice-free, and that number suffices', () => {
    const advice = sides(0.6, 0.2, 0.1);
    expect(advice.overchosen).toEqual(['attack']);
    expect(advice.choiceFreeNeeded).toBeCloseTo(0.15, 12);
    expect(advice.choiceFreeShare).toBeCloseTo(0.15 / 0.9, 12);
    expect(sides(0.6 - 0.1501, 0.2, 0.1 + 0.1501).stable).toBe(true);
    expect(sides(0.6 - 0.1499, 0.2, 0.1 + 0.1499).stable).toBe(false);
    expect(advice.message).toContain('only attack arrive faster than matches have seats');
    expect(advice.message).toContain('more than 0.15 of them per second (16.7% of all players)');
  });

  test('finds the set of roles that is chosen too often, not only single ones', () => {
    const advice = adviseStability({ tank: 1, healer: 1, damage: 3 }, [
      { accepts: ['damage'], rate: 5.5 },
      { accepts: ['tank', 'damage'], rate: 3.5 },
      { accepts: ['healer'], rate: 1 },
    ]);
    expect(advice.overchosen).toEqual(['tank', 'damage']);
    expect(advice.surplusPerSecond).toBeCloseTo(1, 12);
  });

  test('the surplus equals the players that a maximum flow leaves without a seat', () => {
    const random = seededRandom(30);
    const places = { tank: 1, healer: 1, damage: 3 };
    const names = Object.keys(places);
    for (let round = 0; round < 200; round++) {
      const preferences: PreferenceRate[] = Array.from({ length: 4 }, () => ({
        accepts: names.filter(() => random.uniform() < 0.5),
        rate: random.integer(6),
      }));
      const drawn = preferences.reduce((sum, { rate }) => sum + rate, 0);
      preferences.push({ accepts: [names[random.integer(3)]], rate: 5 - (drawn % 5) });
      const total = drawn + 5 - (drawn % 5);
      const advice = adviseStability(places, preferences);
      expect(advice.surplusPerSecond).toBeCloseTo(surplusByFlow(places, preferences, total), 9);
    }
  });

  test('reports a queue as stable when no player chooses, or no player arrives', () => {
    expect(adviseStability(SIDES, [{ accepts: [], rate: 2 }]).stable).toBe(true);
    expect(adviseStability(SIDES, []).stable).toBe(true);
  });

  test('rejects roles without seats and negative rates', () => {
    expect(() => adviseStability(SIDES, [{ accepts: ['middle'], rate: 1 }])).toThrow(
      'Expected one of attack, defend, got `middle`',
    );
    expect(() => adviseStability(SIDES, [{ accepts: [], rate: -1 }])).toThrow(
      'Expected a rate from 0 up, got `-1`',
    );
  });
});

/** Whether players of both sides can be paired in every region so that nobody is left, by trying all halves of players. */
function isPairable(players: readonly PreferenceRate[]): boolean {
  const halves = players.flatMap((player) => Array.from({ length: 2 * player.rate }, () => player));
  const places = (player: PreferenceRate) =>
    (player.accepts.length === 0 ? ['attack', 'defend'] : player.accepts).flatMap((side) =>
      player.regions!.map((region) => [region, side === 'attack' ? 1 : -1] as const),
    );
  const seen = new Set<string>();
  const place = (at: number, balance: ReadonlyMap<string, number>): boolean => {
    if (at === halves.length) return [...balance.values()].every((difference) => difference === 0);
    const state = JSON.stringify([at, [...balance].sort()]);
    if (seen.has(state)) return false;
    seen.add(state);
    return places(halves[at]).some(([region, sign]) =>
      place(at + 1, new Map([...balance, [region, (balance.get(region) ?? 0) + sign]])),
    );
  };
  return place(0, new Map());
}

describe('the adviser on choices in regions', () => {
  const player = (side: string | undefined, regions: string[], rate: number): PreferenceRate => ({
    accepts: side === undefined ? [] : [side],
    regions,
    rate,
  });

  test('finds a surplus in one region that players of other regions cannot take', () => {
    const advice = adviseStability(SIDES, [
      player('attack', ['eu'], 4),
      player('defend', ['eu'], 1),
      player('defend', ['us'], 4),
      player('attack', ['us'], 1),
    ]);
    expect(advice).toMatchObject({ stable: false, overchosen: ['attack'], regions: ['eu'] });
    expect(advice.choiceFreeNeeded).toBeCloseTo(1.5, 12);
    expect(advice.message).toContain('players in eu who accept only attack');
  });

  test('is satisfied when players who reach both regions can fill either', () => {
    const advice = adviseStability(SIDES, [
      player('attack', ['eu'], 4),
      player('defend', ['eu', 'us'], 3.5),
      player(undefined, ['us'], 4),
      player(undefined, ['eu', 'us'], 2),
    ]);
    expect(advice.stable).toBe(true);
  });

  test('does not judge a region of which it knows few players', () => {
    const players = [player('attack', ['eu'], 0.1), player(undefined, ['us'], 5)];
    expect(adviseStability(SIDES, players).stable).toBe(false);
    expect(adviseStability(SIDES, players, 0.2).stable).toBe(true);
  });

  test('reports a surplus only where players cannot all be paired', () => {
    const random = seededRandom(31);
    let warned = 0;
    for (let round = 0; round < 300; round++) {
      const players = Array.from({ length: 3 + random.integer(3) }, () =>
        player(
          [undefined, 'attack', 'defend'][random.integer(3)],
          [['eu'], ['us'], ['eu', 'us'], ['eu', 'us', 'ap'], ['ap']][random.integer(5)],
          1,
        ),
      );
      const { surplusPerSecond } = adviseStability(SIDES, players);
      if (surplusPerSecond > 1e-9) {
        warned++;
        expect(isPairable(players)).toBe(false);
      }
    }
    expect(warned).toBeGreaterThan(50);
  });
});
