/**
 * Every way to divide parties of these sizes, 2k players in all, into two teams of k, each once: the first teams as bit sets
 * over the parties, the first party in each. At most C(15, 7), for sixteen solo players. Built once per sequence of sizes.
 */
export function divisions(parties: readonly { readonly size: number }[], teamSize: number): Uint16Array {
  let key = 0;
  for (let i = 0; i < parties.length; i++) key = key * 9 + parties[i].size;
  const known = built.get(key);
  if (known) return known;
  const teams = Uint16Array.from(buildDivisions(parties, teamSize));
  built.set(key, teams);
  return teams;
}

/** By the sizes as the digits of a number; there are 2^(2k − 1) sequences of sizes. */
const built = new Map<number, Uint16Array>();

function buildDivisions(parties: readonly { readonly size: number }[], teamSize: number): number[] {
  const teams: number[] = [];
  const extend = (index: number, team: number, free: number): void => {
    if (free === 0) teams.push(team);
    if (free === 0 || index === parties.length) return;
    const { size } = parties[index];
    if (size <= free) extend(index + 1, team | (1 << index), free - size);
    extend(index + 1, team, free);
  };
  extend(1, 1, teamSize - parties[0].size);
  return teams;
}
