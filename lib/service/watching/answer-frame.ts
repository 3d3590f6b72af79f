import { Problem, parseWith } from '../../contract/problem.ts';
import { type Frame, frame } from '../../contract/watch.ts';
import type { Watcher } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { PushRetries } from '../ports/push-retries.ts';
import { type AcceptanceDeps, answerMatch } from '../tickets/acceptance.ts';
import { type CancelDeps, cancelTicket } from '../tickets/cancel-ticket.ts';
import { type KeepAliveDeps, recordSeen } from '../tickets/keep-alive.ts';
import { messageOf } from './messages.ts';
import { leaveToRetries } from './send.ts';
import { isKnown, type ShowDeps, sendTicket, stateOf } from './show-ticket.ts';
import { checkWatched } from './watched-ticket.ts';

export type FrameDeps = AcceptanceDeps & CancelDeps & KeepAliveDeps & ShowDeps & AnswerDeps;

interface AnswerDeps {
  readonly connections: ConnectionStore;
  readonly retries: PushRetries;
}

/** The maximum of a frame with an action. API Gateway ends connections whose frames are larger than 32 KB. */
export const ACTION_BYTES_MAX = 4 * 1024;

/**
 * Executes the action of a client's frame for its own ticket, and responds on the socket. Changes of the ticket are sent as to
 * every watcher. The response does not contain them, because it could arrive after a later change.
 *
 *     record    a sign of the player, for a ping or an accept in a queue with `presence`: see keep-alive.ts
 *     act       as the route of the same name: see acceptance.ts and cancel-ticket.ts. The action is safe to repeat
 *     respond   with `Done` or a problem. A crash before it: the client repeats the frame
 *
 * An invalid frame does not end the connection.
 * @param problemOf the problem that the client gets for an error
 */
export async function answerFrame(
  deps: FrameDeps,
  watcher: Watcher,
  connectionId: string,
  text: string,
  problemOf: (error: unknown) => Problem,
): Promise<void> {
  const timestamp = new Date(deps.clock.now()).toISOString();
  const answer = async () => {
    try {
      const { action, ...more } = await act(deps, watcher, connectionId, readFrame(text));
      if (action === 'ping') return undefined;
      return messageOf({ type: 'Done', timestamp, data: { action, ...more } });
    } catch (error) {
      return messageOf({ type: 'Problem', timestamp, data: problemOf(error).toDocument() });
    }
  };
  const message = await answer();
  // A client that has disconnected needs no response.
  if (message !== undefined) await deps.sockets.send(connectionId, message);
}

/** @throws Problem 400 not a frame, 413 too large */
function readFrame(text: string): Frame {
  const bytes = Buffer.byteLength(text);
  if (bytes > ACTION_BYTES_MAX)
    throw new Problem(413, `Expected a frame of at most ${ACTION_BYTES_MAX} bytes, got ${bytes}.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Problem(400, `The frame is not JSON: ${(error as Error).message}`, {
      errors: [{ pointer: '#', detail: 'Expected JSON' }],
    });
  }
  return parseWith(frame, value, 'The frame');
}

/** @throws Problem as the routes do */
async function act(
  deps: FrameDeps,
  watcher: Watcher,
  connectionId: string,
  sentFrame: Frame,
): Promise<{ action: Frame['action']; matchId?: string }> {
  const { ticketId } = watcher;
  const { action } = sentFrame;
  switch (action) {
    case 'ping':
      await recordSeen(deps, watcher, connectionId, deps.clock.now(), true);
      await ping(deps, watcher, connectionId, sentFrame.seen);
      return { action };
    case 'cancel':
      await checkWatched(deps, watcher);
      await cancelTicket(deps, ticketId, deps.clock.now());
      return { action };
    default: {
      const { matchId } = sentFrame;
      await checkWatched(deps, watcher);
      if (action === 'accept') await recordSeen(deps, watcher, connectionId, deps.clock.now(), true);
      const answer = { accepted: action === 'accept', matchId };
      await answerMatch(deps, ticketId, answer, deps.clock.now(), watcher.playerId);
      return { action, matchId };
    }
  }
}

/** Sends the ticket, unless the client has seen its current state. So a ping detects every lost message. */
async function ping(
  deps: FrameDeps,
  { playerId: _, ...watched }: Watcher,
  connectionId: string,
  seen: Extract<Frame, { action: 'ping' }>['seen'],
): Promise<void> {
  // Most pings find nothing new, so this read is eventually consistent, for half the price. A change that it misses is found by
  // the next ping.
  const state = seen && (await stateOf(deps, watched, 'eventual'));
  if (seen && state && isKnown(seen, state)) return;
  await checkWatched(deps, watched);
  const nowMs = deps.clock.now();
  const sent = await sendTicket(deps, {
    ...watched,
    connectionId,
    status: 'CONNECTED',
    connectedAtMs: nowMs,
    shownFromMs: nowMs,
  });
  if (sent === 'failed') await leaveToRetries(deps, watched);
}
