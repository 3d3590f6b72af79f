import type { RandomSource } from '../../simulation/random.ts';

/**
 * First names for players, which make a match easy to read. The order is random, and a name repeats only after all
 * have been used, so waiting players rarely share a name.
 */
export function playerNames(random: RandomSource): () => string {
  const order = [...NAMES];
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  let next = 0;
  return () => order[next++ % order.length]!;
}

/** A player's id: the name and the ticket id, which makes it unique. */
export function playerIdOf(name: string, ticketId: string): string {
  return `${name}.${ticketId}`;
}

/** The name in a player's id; the whole id when the demo did not create it. */
export function nameOf(playerId: string): string {
  return playerId.split('.', 1)[0]!;
}

const NAMES = (
  'ada aki ali amy ana ann ari asa ava bea ben bob cai cal cleo cy dan dee demi dev dina edda eli ella emil ena eva ' +
  'ezra fay finn flo gia gil gus hal hana hugo ida igor ilo ines ira isa ivan ivy jae jan jin joe jon juno kai kaya ' +
  'ken kim kira kofi lea lee leo lia lina liv lola lou luca lucy luis mae mara max mei mia mila milo moe nadia nell ' +
  'nia nico nina noa nora odin ola olga omar otis pam pia quin rae raj ravi ren rio rita rosa roy rui ruth sam sara ' +
  'sean sia sol tara ted teo tess tim tom uma una uri val vera vic wanda wes xena yara yas yuki zara zed zoe'
).split(' ');
