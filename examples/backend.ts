import { type Match, musterClient, type NewTicket, verifyWebhook } from 'muster/client';

const muster = musterClient({ url: process.env.MUSTER_URL! });
const secret = process.env.MUSTER_SECRET!; // whsec_…

// Call this when a player presses "find match". You choose the ticketId; posting the same ticket again is safe.
export async function findMatch(ticket: NewTicket) {
  await muster.post('duel', ticket);
}
// Call this with the raw body of a webhook. It throws when the signature is invalid: respond with 401.
export async function onWebhook(body: string, headers: Record<string, string>) {
  const event = await verifyWebhook(secret, headers, body);
  if (event.type === 'MatchFound') startGame(event.data.match);
}

/** Put your code here. */
function startGame({ matchId, teams }: Match) {
  console.log(`start match ${matchId} for`, teams);
}
