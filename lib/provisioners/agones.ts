import * as z from 'zod';
import { type Assignment, assignment } from '../contract/match.ts';
import type { ProvisionerOptions } from '../contract/queue-definition.ts';
import type { StoredMatch } from '../service/domain/stored-match.ts';
import type { ClientCertificate, Outbound } from '../service/ports/outbound.ts';
import type { Provisioner, Release } from '../service/ports/provisioner.ts';
import type { Secrets } from '../service/ports/secrets.ts';
import { type Failure, failureOf, isSuccess } from './response-status.ts';

export interface AgonesDeps {
  readonly secrets: Secrets;
  readonly outbound: Outbound;
}

/** The labels and the annotation of a game server that Muster has allocated. */
const AGONES_METADATA = {
  match: 'muster-match',
  queue: 'muster-queue',
  region: 'muster-region',
  /** `true`: the match has ended without this game server, which has to shut down. */
  cancelled: 'muster-cancelled',
  /** JSON: the teams of the match with their players. */
  players: 'muster-players',
} as const;

/**
 * Allocates a game server with Agones's allocation service, over its REST endpoint with mutual TLS.
 *
 * The service has no idempotency key. So the game server gets the id of its match as a label, and every request first
 * selects allocated servers with this label, and only then ready ones:
 *
 *     allocate   1. allocated and labelled with this match   a repeat finds the same server
 *                2. ready, by the selectors of the queue     labelled in the same step
 *     release    only 1, which also gets the label muster-cancelled; nothing is allocated when there is none
 *
 * The service cannot free a game server: the game server watches its own labels and shuts itself down. See
 * `docs/hosting.md`.
 */
export function agonesProvisioner(
  deps: AgonesDeps,
  options: ProvisionerOptions & { type: 'agones' },
): Provisioner {
  const allocate = async (match: StoredMatch, request: AllocationRequest): Promise<Allocation> => {
    const url = allocatorOf(options.allocator, match.region);
    if (url === undefined) return { outcome: 'refused', why: 'there is no allocator for its region' };
    const secret = await deps.secrets.get(options.certificate, match.queue);
    if (secret.outcome === 'refused')
      return { outcome: 'refused', why: 'its queue may not use the secret it names', detail: secret.why };
    if (secret.outcome === 'missing') return { outcome: 'retry', why: secret.why };
    const certificate = certificateOf(secret.value);
    if (certificate === undefined)
      return { outcome: 'refused', why: 'the secret of its queue is not a client certificate' };
    const body = JSON.stringify({
      namespace: options.namespace ?? 'default',
      ...(options.multiCluster && { multiClusterSetting: { enabled: true } }),
      ...request,
    });
    const timeoutMs = (options.requestTimeoutSeconds ?? 5) * 1_000;
    const result = await deps.outbound.post(url, body, {}, timeoutMs, certificate);
    if (result.outcome === 'unreachable') return { outcome: 'retry', why: result.error };
    if (result.outcome === 'forbidden')
      return { outcome: 'refused', why: 'its allocator may not be called', detail: result.error };
    if (result.status === NO_SERVER_FREE) return { outcome: 'none-free' };
    if (!isSuccess(result.status)) return failureOf(result.status, 'the allocator', RETRIED);
    return allocated(result.body);
  };

  return {
    async place(match) {
      const ready = (options.selectors ?? [{ matchLabels: {} }]).map(({ matchLabels }) => ({
        matchLabels,
        gameServerState: 'READY' as const,
      }));
      const result = await allocate(match, {
        gameServerSelectors: [ofMatch(match), ...ready],
        metadata: metadataOf(match),
      });
      return result.outcome === 'none-free'
        ? { outcome: 'retry', why: 'the allocator has no free game server' }
        : result;
    },

    async release(match, unused): Promise<Release> {
      const selection = { gameServerSelectors: [ofMatch(match)] };
      if (match.assignment !== undefined) {
        // The match may be played on this server.
        const found = await allocate(match, { ...selection, metadata: metadataOf(match) });
        const isOwn = found.outcome === 'assigned' && isSame(found.assignment, match.assignment);
        if (isOwn) return { outcome: 'released' };
        if (found.outcome !== 'assigned') return released(found, unused);
      }
      const labels = { [AGONES_METADATA.cancelled]: 'true' };
      return released(await allocate(match, { ...selection, metadata: { labels } }), unused);
    },
  };
}

/** A request in the format of Agones's `AllocationRequest`. */
interface AllocationRequest {
  readonly gameServerSelectors: readonly {
    readonly matchLabels: Readonly<Record<string, string>>;
    readonly gameServerState: 'READY' | 'ALLOCATED';
  }[];
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

type Allocation =
  | { readonly outcome: 'assigned'; readonly assignment: Assignment }
  | { readonly outcome: 'none-free' }
  | Failure;

/** The status of Agones's RESOURCE_EXHAUSTED. */
const NO_SERVER_FREE = 429;
/** Client errors after which a retry may succeed. 409 is Agones's ABORTED: too many requests at once. */
const RETRIED = [408, 409, 425];

/** The URL of the allocator for a match; undefined when its region has none. */
function allocatorOf(
  allocator: string | Readonly<Record<string, string>>,
  region: string | undefined,
): string | undefined {
  if (typeof allocator === 'string') return allocator;
  return region !== undefined && Object.hasOwn(allocator, region) ? allocator[region] : undefined;
}

const certificateSecret = z.object({
  cert: z.string().min(1),
  key: z.string().min(1),
  ca: z.string().min(1).exactOptional(),
});

function certificateOf(secret: string): ClientCertificate | undefined {
  try {
    return certificateSecret.parse(JSON.parse(secret));
  } catch {
    return undefined;
  }
}

function ofMatch({ matchId }: StoredMatch) {
  return {
    matchLabels: { [AGONES_METADATA.match]: labelValue(matchId) },
    gameServerState: 'ALLOCATED' as const,
  };
}

function metadataOf(match: StoredMatch) {
  const teams = match.teams.map(({ name, players }) => ({
    ...(name !== undefined && { name }),
    players: players.map(({ playerId, role, bot }) => ({
      playerId,
      ...(role !== undefined && { role }),
      ...(bot && { bot }),
    })),
  }));
  return {
    labels: {
      [AGONES_METADATA.match]: labelValue(match.matchId),
      [AGONES_METADATA.queue]: labelValue(match.queue),
      ...(match.region !== undefined && { [AGONES_METADATA.region]: labelValue(match.region) }),
    },
    annotations: { [AGONES_METADATA.players]: JSON.stringify(teams) },
  };
}

/** A text as a value of a Kubernetes label: other characters become `_`, and it is cut to 63 characters. */
function labelValue(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_.-]/g, '_')
    .slice(0, 63)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
}

const allocationResponse = z.object({
  gameServerName: z.string().min(1),
  address: z.string().optional(),
  ports: z.array(z.object({ port: z.number() })).optional(),
});

function allocated(body: string): Allocation {
  const response = allocationResponse.safeParse(json(body));
  if (!response.success) return { outcome: 'refused', why: "the allocator's response is not that of Agones" };
  const { gameServerName, address, ports: [first] = [] } = response.data;
  const parsed = assignment.safeParse({
    address,
    ...(first !== undefined && { port: first.port }),
    sessionId: gameServerName,
  });
  // The server is allocated. A repeat finds it by its label, perhaps with its address.
  return parsed.success
    ? { outcome: 'assigned', assignment: parsed.data }
    : { outcome: 'retry', why: `game server ${gameServerName} has no usable address or port` };
}

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function isSame(one: Assignment, other: Assignment): boolean {
  return one.sessionId === other.sessionId && one.address === other.address;
}

/**
 * Whether the game server of a match is released. There is nothing to release when the allocator finds none, or rejects every
 * request.
 * @param unused a server that is known to exist. If the allocator does not find it, it has to be asked again
 */
function released(result: Allocation, unused: Assignment | undefined): Release {
  if (result.outcome === 'retry') return result;
  if (result.outcome === 'assigned' || unused === undefined) return { outcome: 'released' };
  return { outcome: 'retry', why: 'the allocator does not find the game server to release' };
}
