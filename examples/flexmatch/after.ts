import { musterClient, readyMatch, verifyWebhook } from 'muster/client';
import type { Party } from './party.ts';

const muster = musterClient({ url: process.env.MUSTER_URL! });
const secret = process.env.MUSTER_SECRET!; // whsec_…

// Call this when a party presses "find match". The rank is the skill; the other attributes keep their names.
// Every search has a ticketId of its own: keep it with the party, and pass it to cancel.
export async function findMatch({ id, members }: Party) {
  const ticketId = `${id}.${crypto.randomUUID()}`;
  await muster.post('ranked', {
    ticketId,
    players: members.map(({ id, rank, modes, pings }) => ({
      playerId: id,
      skill: rank,
      attributes: { modes },
      latencyMs: pings,
    })),
  });
  return ticketId;
}
export async function cancel(ticketId: string) {
  await muster.cancel(ticketId);
}
// Call this with the raw body of a webhook. It throws when the signature is invalid: respond with 401.
export async function onWebhook(body: string, headers: Record<string, string>) {
  const match = readyMatch(await verifyWebhook(secret, headers, body));
  if (match !== undefined)
    startGame(match.matchId, new Map(match.teams.map(({ name, players }) => [name!, players])));
}

/** Put your code here. */
function startGame(matchId: string, teams: ReadonlyMap<string, readonly { playerId: string }[]>) {
  for (const [team, players] of teams)
    console.log(`match ${matchId}, ${team}: ${players.map(({ playerId }) => playerId).join(', ')}`);
}
