import { Readable } from 'node:stream';
import { GameLiftClient } from '@aws-sdk/client-gamelift';

/** A placement in the JSON of GameLift's API: times are seconds since the epoch. */
interface Placement {
  readonly PlacementId: string;
  readonly GameSessionQueueName: string;
  readonly StartTime: number;
  readonly MaximumPlayerSessionCount: number;
  Status: 'PENDING' | 'FULFILLED' | 'CANCELLED' | 'TIMED_OUT' | 'FAILED';
  EndTime?: number;
  GameSessionArn?: string;
  GameSessionId?: string;
  GameSessionRegion?: string;
  IpAddress?: string;
  DnsName?: string;
  Port?: number;
  PlacedPlayerSessions?: { PlayerId: string; PlayerSessionId: string }[];
  readonly [field: string]: unknown;
}

export interface Reply {
  readonly status: number;
  readonly body: object;
}

const FLEET = 'arn:aws:gamelift:us-west-2::gamesession/fleet-2222bbbb-cc33-dd44-ee55-6666ffff77aa';

/**
 * Amazon GameLift Servers, as far as its API reference and its guide describe placements: requests, responses, errors
 * and events have their documented shapes. There is no emulator of the service.
 */
export class GameLiftStandIn {
  readonly placements = new Map<string, Placement>();
  /** The game sessions that run. */
  readonly running = new Set<string>();
  /** Every operation with its input, in order. */
  readonly calls: { operation: string; input: Record<string, unknown> }[] = [];
  /** Rejects a call, when it returns a reply. */
  reject: (operation: string) => Reply | undefined = () => undefined;
  /** Whether the end of the id of a placement is the end of the ARN of its game session. */
  arnEndsInPlacementId = true;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  call(operation: string, input: Record<string, unknown>): Reply {
    this.calls.push({ operation, input });
    const rejected = this.reject(operation);
    if (rejected !== undefined) return rejected;
    switch (operation) {
      case 'StartGameSessionPlacement':
        return this.#start(input);
      case 'DescribeGameSessionPlacement':
        return this.#known(input, (placement) => reply(placement));
      case 'StopGameSessionPlacement':
        return this.#known(input, (placement) => {
          if (placement.Status !== 'PENDING')
            return error('InvalidRequestException', `Placement is ${placement.Status}`);
          this.end(placement.PlacementId, 'CANCELLED');
          return reply(placement);
        });
      case 'TerminateGameSession': {
        const arn = String(input.GameSessionId);
        if (!this.running.delete(arn)) return error('NotFoundException', `Game session not found: ${arn}`);
        return { status: 200, body: { GameSession: { GameSessionId: arn, Status: 'TERMINATING' } } };
      }
      default:
        return error('UnknownOperationException', operation);
    }
  }

  /** Starts the game session of a pending placement. */
  fulfil(placementId: string, address: { DnsName?: string } = { DnsName: 'ec2-12-34-56-78.example' }): void {
    const placement = this.placements.get(placementId)!;
    if (placement.Status !== 'PENDING') return;
    const end = this.arnEndsInPlacementId ? placementId : `session-${this.placements.size}`;
    const players = placement.DesiredPlayerSessions as { PlayerId: string }[];
    Object.assign(placement, {
      Status: 'FULFILLED',
      EndTime: this.#now() / 1_000,
      GameSessionArn: `${FLEET}/${end}`,
      GameSessionId: `${FLEET}/${end}`,
      GameSessionRegion: 'us-west-2',
      IpAddress: '12.34.56.78',
      ...address,
      Port: 6262,
      PlacedPlayerSessions: players.map(({ PlayerId }) => ({
        PlayerId,
        PlayerSessionId: `psess-${PlayerId}`,
      })),
    });
    this.running.add(`${FLEET}/${end}`);
  }

  /** Ends a pending placement without a game session. */
  end(placementId: string, Status: 'CANCELLED' | 'TIMED_OUT' | 'FAILED'): void {
    const placement = this.placements.get(placementId)!;
    if (placement.Status === 'PENDING') Object.assign(placement, { Status, EndTime: this.#now() / 1_000 });
  }

  /** The event of a placement that is not pending any more, as EventBridge delivers it. */
  eventOf(placementId: string) {
    const placement = this.placements.get(placementId)!;
    const types = {
      FULFILLED: 'PlacementFulfilled',
      CANCELLED: 'PlacementCancelled',
      TIMED_OUT: 'PlacementTimedOut',
      FAILED: 'PlacementFailed',
      PENDING: 'PlacementPending',
    };
    const { StartTime, EndTime, GameSessionArn, IpAddress, DnsName, Port, PlacedPlayerSessions } = placement;
    const iso = (seconds = 0) => new Date(seconds * 1_000).toISOString();
    return {
      version: '0',
      id: `event-of-${placementId}`,
      'detail-type': 'GameLift Queue Placement Event',
      source: 'aws.gamelift',
      account: '123456789012',
      time: iso(EndTime).replace(/\.\d+Z$/, 'Z'),
      region: 'us-west-2',
      resources: [
        `arn:aws:gamelift:us-west-2:123456789012:gamesessionqueue/${placement.GameSessionQueueName}`,
      ],
      detail: {
        type: types[placement.Status],
        placementId,
        startTime: iso(StartTime),
        endTime: iso(EndTime),
        ...(GameSessionArn !== undefined && {
          port: String(Port),
          gameSessionArn: GameSessionArn,
          ipAddress: IpAddress,
          dnsName: DnsName,
          gameSessionRegion: 'us-west-2',
          placedPlayerSessions: PlacedPlayerSessions!.map(({ PlayerId, PlayerSessionId }) => ({
            playerId: PlayerId,
            playerSessionId: PlayerSessionId,
          })),
        }),
      },
    };
  }

  #start(input: Record<string, unknown>): Reply {
    const PlacementId = String(input.PlacementId);
    if (!/^[a-zA-Z0-9-]{1,48}$/.test(PlacementId))
      return error('InvalidRequestException', `Invalid placement id ${PlacementId}`);
    if (this.placements.has(PlacementId))
      return error('InvalidRequestException', `Placement id ${PlacementId} is in use`);
    const placement = {
      ...input,
      PlacementId,
      Status: 'PENDING',
      StartTime: this.#now() / 1_000,
    } as Placement;
    this.placements.set(PlacementId, placement);
    return reply(placement);
  }

  #known({ PlacementId }: Record<string, unknown>, then: (placement: Placement) => Reply): Reply {
    const placement = this.placements.get(String(PlacementId));
    return placement === undefined
      ? error('NotFoundException', `Placement not found: ${PlacementId}`)
      : then(placement);
  }
}

/** An error in the JSON of GameLift's API. */
export function error(code: string, Message: string, status = 400): Reply {
  return { status, body: { __type: code, Message } };
}

function reply(placement: Placement): Reply {
  return { status: 200, body: { GameSessionPlacement: placement } };
}

/** Passes a call to the service: a test may delay it, fail it, or lose its response. */
export type Transport = (operation: string, call: () => Promise<Reply>) => Promise<Reply>;

/** AWS's own client, connected to the stand-in. */
export function clientOf(
  standIn: GameLiftStandIn,
  transport: Transport = (_, call) => call(),
): GameLiftClient {
  return new GameLiftClient({
    region: 'us-west-2',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    maxAttempts: 1,
    requestHandler: {
      async handle({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) {
        const [, operation = ''] = headers['x-amz-target']!.split('.');
        const { status, body: answer } = await transport(operation, async () =>
          standIn.call(operation, JSON.parse(new TextDecoder().decode(body))),
        );
        return {
          response: {
            statusCode: status,
            headers: { 'content-type': 'application/x-amz-json-1.1' },
            body: Readable.from([Buffer.from(JSON.stringify(answer))]),
          },
        };
      },
    } as never,
  });
}
