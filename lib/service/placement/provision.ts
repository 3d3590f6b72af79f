import { type Assignment, assignment, type StoredMatch, toMatchView } from '../../contract/match.ts';
import { Problem, parseWith } from '../../contract/problem.ts';
import type { Provisioner as ProvisionerOptions } from '../../contract/queue-definition.ts';
import { signed } from '../events/signature.ts';
import type { Outbound, QueueStore, Secrets, SingleMatchStore } from '../ports.ts';

/** What a provisioner makes of a match. */
export type Provision =
  | { outcome: 'assigned'; assignment: Assignment }
  /** It may work later. */
  | { outcome: 'retry'; why: string }
  /** It never will. */
  | { outcome: 'refused'; why: string };

/**
 * Produces the place a match is played at. It may be called again for the same match after a crash,
 * and has to answer the same place then: the match's id is its idempotency key.
 */
export type Provisioner = (match: StoredMatch) => Promise<Provision>;

export interface ProvisionDeps {
  readonly queues: QueueStore;
  readonly matches: SingleMatchStore;
  readonly secrets: Secrets;
  readonly outbound: Outbound;
  readonly clock: { now(): number };
}

/**
 * Gets an assignment for a match that is PLACING.
 *
 *     ask the provisioner    a crash after it: asked again, with the same idempotency key
 *     write the assignment   on the condition that the match is still PLACING
 */
export async function provision(
  deps: ProvisionDeps,
  matchId: string,
): Promise<{ outcome: 'done' } | { outcome: 'retry'; why: string }> {
  const match = await deps.matches.get(matchId);
  if (match === undefined || match.status !== 'PLACING') return { outcome: 'done' };
  const record = await deps.queues.get(match.queue);
  const provisioner = provisionerOf(deps, record?.definition.provisioner);
  if (provisioner === undefined) return { outcome: 'done' };
  const result = await provisioner(match);
  if (result.outcome === 'retry') return result;
  if (result.outcome === 'assigned') await deps.matches.assign(matchId, result.assignment);
  else await deps.matches.advance(matchId, 'PLACING', 'FAILED', { reason: result.why });
  return { outcome: 'done' };
}

/**
 * Takes the assignment a studio brings. The same again is answered with the match as it is.
 * @throws Problem 400, 404, 409 the match has another assignment, or is not one to be placed
 */
export async function assignMatch(
  deps: { readonly matches: SingleMatchStore },
  matchId: string,
  body: unknown,
): Promise<StoredMatch> {
  const result = await deps.matches.assign(matchId, parseWith(assignment, body, 'The assignment'));
  if (result === undefined) throw unknownMatch(matchId);
  if (result.outcome === 'assigned') return result.match;
  const { status } = result.match;
  const why = result.match.assignment ? 'it has another assignment' : `it is ${status}`;
  throw new Problem(409, `Match ${matchId} takes no assignment: ${why}.`, {
    extensions: { matchStatus: status },
  });
}

/** @throws Problem (404) */
export async function getMatch(
  deps: { readonly matches: SingleMatchStore },
  matchId: string,
): Promise<StoredMatch> {
  const match = await deps.matches.get(matchId);
  if (match === undefined) throw unknownMatch(matchId);
  return match;
}

function unknownMatch(matchId: string): Problem {
  return new Problem(404, `There is no match ${JSON.stringify(matchId)}. Matches are kept for a week.`);
}

/** The provisioner Muster itself calls; `none` and `external` need no call. */
function provisionerOf(
  deps: ProvisionDeps,
  options: ProvisionerOptions | undefined,
): Provisioner | undefined {
  return options?.type === 'http' ? httpProvisioner(deps, options) : undefined;
}

/** POSTs the match to the studio's endpoint; a 2xx answer's body is the assignment. */
function httpProvisioner(deps: ProvisionDeps, options: ProvisionerOptions & { type: 'http' }): Provisioner {
  return async (match) => {
    const body = JSON.stringify(toMatchView(match));
    const headers = {
      'idempotency-key': match.matchId,
      ...(options.secret !== undefined &&
        signed(await deps.secrets.get(options.secret), match.matchId, body, deps.clock.now())),
    };
    const timeoutMs = (options.requestTimeoutSeconds ?? 5) * 1_000;
    const result = await deps.outbound.post(options.url, body, headers, timeoutMs);
    if (result.outcome === 'unreachable') return { outcome: 'retry', why: result.error };
    if (result.outcome === 'forbidden') return { outcome: 'refused', why: result.error };
    if (result.status < 200 || result.status >= 300) return refusal(result.status);
    return readAssignment(result.body);
  };
}

/** Statuses that say "later" rather than "no". */
const LATER = [408, 425, 429];

function refusal(status: number): Provision {
  const why = `the provisioner answered ${status}`;
  return status >= 400 && status < 500 && !LATER.includes(status)
    ? { outcome: 'refused', why }
    : { outcome: 'retry', why };
}

function readAssignment(body: string): Provision {
  try {
    return { outcome: 'assigned', assignment: parseWith(assignment, JSON.parse(body), 'The assignment') };
  } catch (error) {
    const why = error instanceof Problem ? error.message : 'its answer is not JSON';
    return { outcome: 'refused', why: `the provisioner's answer cannot be used: ${why}` };
  }
}
