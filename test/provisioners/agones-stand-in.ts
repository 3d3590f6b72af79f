/** A game server of a fleet, as far as allocations see it. */
interface GameServer {
  readonly name: string;
  state: 'Ready' | 'Allocated' | 'Shutdown';
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
}

interface AllocationRequest {
  readonly namespace?: string;
  readonly multiClusterSetting?: { readonly enabled: boolean };
  readonly gameServerSelectors?: readonly {
    readonly matchLabels?: Readonly<Record<string, string>>;
    readonly gameServerState?: 'READY' | 'ALLOCATED';
  }[];
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/**
 * Agones's allocation service behind its REST endpoint: the first selector with a game server wins, the metadata is added
 * to that game server, and the game server becomes Allocated. The errors are those of Agones's gRPC gateway.
 */
export class AgonesStandIn {
  readonly servers: GameServer[];
  readonly requests: AllocationRequest[] = [];

  /** @param labels the labels of each ready game server */
  constructor(...labels: Readonly<Record<string, string>>[]) {
    this.servers = labels.map((own, i) => ({
      name: `fleet-${i + 1}`,
      state: 'Ready',
      labels: { ...own },
      annotations: {},
    }));
  }

  /** The game servers of a match that have not been told to shut down. */
  runningFor(matchId: string): string[] {
    return this.servers
      .filter(({ state, labels }) => state === 'Allocated' && labels['muster-match'] === matchId)
      .filter(({ labels }) => labels['muster-cancelled'] !== 'true')
      .map(({ name }) => name);
  }

  allocate(request: AllocationRequest): { status: number; body: object } {
    this.requests.push(request);
    for (const selector of request.gameServerSelectors ?? [{}]) {
      const wanted = selector.gameServerState === 'ALLOCATED' ? 'Allocated' : 'Ready';
      const found = this.servers.find(
        ({ state, labels }) =>
          state === wanted &&
          Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value),
      );
      if (found === undefined) continue;
      found.state = 'Allocated';
      Object.assign(found.labels, request.metadata?.labels);
      Object.assign(found.annotations, request.metadata?.annotations);
      return { status: 200, body: responseOf(found.name) };
    }
    const message = 'there is no available GameServer to allocate';
    return { status: 429, body: { code: 8, message, details: [] } };
  }
}

/** The response for a game server. */
export function responseOf(gameServerName: string): object {
  return {
    gameServerName,
    ports: [{ name: 'default', port: 7463 }],
    address: '34.82.195.204',
    addresses: [{ type: 'ExternalIP', address: '34.82.195.204' }],
    nodeName: 'node-1',
    source: 'local',
    metadata: { labels: {}, annotations: {} },
  };
}
