import { assignment } from '../contract/match.ts';
import { check, type FieldProblem, textOf } from '../contract/problem.ts';
import type { ProvisionerOptions } from '../contract/queue-definition.ts';
import { type StoredMatch, toMatchView } from '../service/domain/stored-match.ts';
import { signed } from '../service/events/signature.ts';
import type { Outbound } from '../service/ports/outbound.ts';
import type { Provision, Provisioner } from '../service/ports/provisioner.ts';
import type { Secrets } from '../service/ports/secrets.ts';
import { failureOf, isSuccess } from './response-status.ts';

export interface HttpProvisionerDeps {
  readonly secrets: Secrets;
  readonly outbound: Outbound;
  readonly clock: { now(): number };
}

/** POSTs the match to the studio's endpoint. The body of a 2xx response is the assignment. */
export function httpProvisioner(
  deps: HttpProvisionerDeps,
  options: ProvisionerOptions & { type: 'http' },
): Provisioner {
  const place = async (match: StoredMatch): Promise<Provision> => {
    const body = JSON.stringify(toMatchView(match));
    const secret =
      options.secret === undefined ? undefined : await deps.secrets.get(options.secret, match.queue);
    if (secret?.outcome === 'refused')
      return { outcome: 'refused', why: 'its queue may not use the secret it names', detail: secret.why };
    if (secret?.outcome === 'missing') return { outcome: 'retry', why: secret.why };
    const headers = {
      'idempotency-key': match.matchId,
      ...(secret !== undefined && signed(secret.value, match.matchId, body, deps.clock.now())),
    };
    const timeoutMs = (options.requestTimeoutSeconds ?? 5) * 1_000;
    const result = await deps.outbound.post(options.url, body, headers, timeoutMs);
    if (result.outcome === 'unreachable') return { outcome: 'retry', why: result.error };
    if (result.outcome === 'forbidden')
      return { outcome: 'refused', why: 'its provisioner may not be called', detail: result.error };
    if (!isSuccess(result.status)) return failureOf(result.status, 'the provisioner', RETRIED);
    return readAssignment(result.body);
  };
  return { place };
}

/** Client errors after which a retry may succeed. */
const RETRIED = [408, 425, 429];

function readAssignment(body: string): Provision {
  const invalid = "the provisioner's response is invalid";
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { outcome: 'refused', why: `${invalid}: it is not JSON` };
  }
  const { data, problems } = check(assignment, json);
  if (problems === undefined) return { outcome: 'assigned', assignment: data };
  return { outcome: 'refused', why: `${invalid}: ${namedFields(problems)}`, detail: textOf(problems) };
}

/** The names of the invalid fields. The values in the response are only logged. */
function namedFields(problems: readonly FieldProblem[]): string {
  const keys = new Set(problems.map(({ pointer }) => pointer.split('/')[1] ?? ''));
  const known = Object.keys(assignment.shape).filter((key) => keys.has(key));
  if (known.length > 0) return `check ${known.join(', ')}`;
  return keys.has('') ? 'it is not an object' : 'it has unknown fields';
}
