import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.MUSTER_SECRET!); // whsec_…

/** Call it when a player presses "find match". The ticket id is yours, so a retry is safe. */
export async function findMatch(ticketId: string, players: { playerId: string; skill: number }[]) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ ticketId, players });
  const response = await fetch(`${process.env.MUSTER_URL}/queues/duel/tickets`, {
    method: 'POST',
    headers,
    body,
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Call it with the raw body of a webhook. It throws if the signature is not valid; answer 401 then. */
export function onWebhook(body: string, headers: Record<string, string>) {
  const { type, data } = webhook.verify(body, headers) as {
    type: string;
    data: { match: { teams: object[] } };
  };
  if (type === 'MatchFound') console.log('start a game for', data.match.teams);
}
