import { MusterProblem, musterClient, verifyWebhook } from 'muster/client';

const muster = musterClient({ url: 'https://game.example', credentials: { token: 'token' } });
export async function play(): Promise<string> {
  try {
    const ticket = await muster.waitForMatch('t-1');
    return ticket.status;
  } catch (error) {
    if (error instanceof MusterProblem) return error.problem.title ?? String(error.status);
    throw error;
  }
}
export { verifyWebhook };
