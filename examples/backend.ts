import { type Match, musterClient, type NewTicket, readyMatch, verifyWebhook } from 'muster/client';

const muster = musterClient({ url: process.env.MUSTER_URL! });
const secret = process.env.MUSTER_SECRET!; // whsec_…

// Call this when a player presses "find match". You choose the ticketId, a new one for each search.
export async function findMatch(ticket: NewTicket) {
  await muster.post('duel', ticket);
}
// Call this with the raw body of a webhook. It throws when the signature is invalid: respond with 401.
export async function onWebhook(body: string, headers: Record<string, string>) {
  const event = await verifyWebhook(secret, headers, body);
  const match = readyMatch(event); // in a queue with acceptance or a provisioner, once all have accepted and there is a server
  if (match !== undefined) startGame(match);
}

/** Put your code here. */
function startGame({ matchId, teams }: Match) {
  console.log(`start match ${matchId} for`, teams);
}
