import { Webhook } from 'standardwebhooks';

/** A party that asks for a match. */
interface Ticket {
  /** Chosen by you. Posting the same ticket again is safe. */
  ticketId: string;
  players: { playerId: string; skill: number }[];
}

/** The part of an event that this backend reads; `/openapi.json` has the whole schema. */
interface MatchEvent {
  type: string;
  data: { match: { matchId: string; teams: object[] } };
}

const tickets = `${process.env.MUSTER_URL}/queues/duel/tickets`;
const webhook = new Webhook(process.env.MUSTER_SECRET!); // whsec_…

// Call this when a player presses "find match".
export async function findMatch(ticket: Ticket) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(tickets, { method: 'POST', headers, body: JSON.stringify(ticket) });
  if (!response.ok) throw new Error(await response.text());
}
// Call this with the raw body of a webhook. It throws when the signature is invalid: respond with 401.
export function onWebhook(body: string, headers: Record<string, string>) {
  const { type, data } = webhook.verify(body, headers) as MatchEvent;
  if (type === 'MatchFound') startGame(data.match);
}

/** Put your code here. */
function startGame({ matchId, teams }: MatchEvent['data']['match']) {
  console.log(`start match ${matchId} for`, teams);
}
