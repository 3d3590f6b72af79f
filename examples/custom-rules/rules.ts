import type { CustomCost, CustomPlayer, CustomRule, Least, MayJoin } from 'muster/rules';

/** A map is played that at least `quorum` players have voted for. */
export const enoughVotes: CustomRule<{ quorum: number }> = ({ players }, { quorum }) => {
  const votes = new Map<string, number>();
  for (const { attributes } of players)
    for (const map of attributes.votes as string[]) votes.set(map, (votes.get(map) ?? 0) + 1);
  return Math.max(0, ...votes.values()) >= quorum || 'no map has enough votes';
};

/** Each newcomer beyond the first costs imbalance, so that newcomers are spread over matches. */
export const newcomersApart: CustomCost<{ each: number; below: number }> = ({ players }, options) =>
  newcomersCost(players, options);

const newcomersCost = (players: readonly CustomPlayer[], { each, below }: { each: number; below: number }) =>
  each * Math.max(0, players.filter(({ attributes }) => (attributes.played as number) < below).length - 1);

/** A match of two clans against each other is preferred: every other match costs `bonus`. */
export const rivalry: CustomCost<{ bonus: number }> = ({ teams }, { bonus }) => {
  const clans = teams.map(({ players }) => new Set(players.map(({ attributes }) => attributes.clan)));
  const areRivals = clans.every((clan) => clan.size === 1 && !clan.has('none'));
  return areRivals && new Set(clans.flatMap((clan) => [...clan])).size === teams.length ? 0 : bonus;
};

/** Players of different parties differ by at most `most` ranks. */
export const closeRanks: CustomRule<{ most: number }> = ({ players }, { most }) =>
  players.every((a) => players.every((b) => areClose(a, b, most))) || 'ranks differ too much';

const areClose = (a: CustomPlayer, b: CustomPlayer, most: number) =>
  a.party === b.party || Math.abs((a.attributes.rank as number) - (b.attributes.rank as number)) <= most;

/** What the search asks before it has a whole game. */
export const mayJoin: { closeRanks: MayJoin<{ most: number }> } = {
  closeRanks: (a, b, { most }) =>
    a.players.every((one) => b.players.every((other) => areClose(one, other, most))) ||
    'ranks differ too much',
};

/** What a game with these tickets costs at least. */
export const least: { newcomersApart: Least<{ each: number; below: number }> } = {
  newcomersApart: (tickets, options) =>
    newcomersCost(
      tickets.flatMap(({ players }) => players),
      options,
    ),
};
