import {
  DescribeGameSessionPlacementCommand,
  type GameLiftClient,
  GameLiftServiceException,
  type GameSessionPlacement as Reported,
  StartGameSessionPlacementCommand,
  StopGameSessionPlacementCommand,
  TerminateGameSessionCommand,
} from '@aws-sdk/client-gamelift';
import * as z from 'zod';
import { readWith } from '../service/domain/unreadable.ts';
import type {
  GameSessionFailure,
  GameSessionPlacement,
  GameSessions,
} from '../service/ports/game-sessions.ts';
import { getOrCreate } from '../vocabulary/get-or-create.ts';

/**
 * Game sessions of Amazon GameLift Servers. A queue given by ARN is called in its own region.
 * @param clientOf returns the client for a region; undefined is the region of the function
 */
export function gameSessions(clientOf: (region: string | undefined) => GameLiftClient): GameSessions {
  const of = (gameSessionQueue: string) => clientOf(regionOf(gameSessionQueue));
  return {
    async start(request) {
      const players = Object.entries(request.latenciesMs);
      const command = new StartGameSessionPlacementCommand({
        PlacementId: request.placementId,
        GameSessionQueueName: request.gameSessionQueue,
        MaximumPlayerSessionCount: request.playersMax,
        DesiredPlayerSessions: request.playerIds.map((PlayerId) => ({ PlayerId })),
        PlayerLatencies: players.flatMap(([PlayerId, latencies]) =>
          Object.entries(latencies).map(([RegionIdentifier, LatencyInMilliseconds]) => ({
            PlayerId,
            RegionIdentifier,
            LatencyInMilliseconds,
          })),
        ),
        GameProperties: Object.entries(request.properties).map(([Key, Value]) => ({ Key, Value })),
        GameSessionData: request.data,
      });
      return attempt(
        async () => found(await of(request.gameSessionQueue).send(command), request.placementId),
        withInvalid,
      );
    },

    describe: (placementId, gameSessionQueue) =>
      attempt(async () => {
        const command = new DescribeGameSessionPlacementCommand({ PlacementId: placementId });
        return found(await of(gameSessionQueue).send(command), placementId);
      }, withUnknown),

    stop: (placementId, gameSessionQueue) =>
      attempt(
        async () => {
          const command = new StopGameSessionPlacementCommand({ PlacementId: placementId });
          return found(await of(gameSessionQueue).send(command), placementId);
        },
        (error) => withUnknown(error) ?? withInvalid(error),
      ),

    terminate: (sessionArn, gameSessionQueue) =>
      attempt(async () => {
        const command = new TerminateGameSessionCommand({
          GameSessionId: sessionArn,
          // The game server may ignore a request to end while no player has connected.
          TerminationMode: 'FORCE_TERMINATE',
        });
        await of(gameSessionQueue).send(command);
        return { outcome: 'done' as const };
      }, withNothingRunning),
  };
}

/** The region in the ARN of a queue; undefined for a name. */
function regionOf(gameSessionQueue: string): string | undefined {
  return gameSessionQueue.startsWith('arn:') ? gameSessionQueue.split(':')[3] : undefined;
}

/** Errors that recur when the request is repeated. */
const FINAL = [
  'AccessDeniedException',
  'IdempotentParameterMismatchException',
  'InvalidRequestException',
  'NotFoundException',
  'TerminalRoutingStrategyException',
  'UnauthorizedException',
  'UnknownOperationException',
  'UnsupportedRegionException',
];

/**
 * Calls GameLift. `own` converts errors that are outcomes of this operation.
 * @throws errors of the connection
 */
async function attempt<Result, Own = never>(
  call: () => Promise<Result>,
  own: (error: Error) => Own | undefined,
): Promise<Result | Own | GameSessionFailure> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof GameLiftServiceException)) throw error;
    const why = `${error.name}: ${error.message}`;
    return own(error) ?? { outcome: FINAL.includes(error.name) ? 'refused' : 'busy', why };
  }
}

function withUnknown({ name }: Error) {
  return name === 'NotFoundException' ? { outcome: 'unknown' as const } : undefined;
}

/** The result when the game session has already ended. */
function withNothingRunning({ name }: Error) {
  const ended = ['NotFoundException', 'InvalidGameSessionStatusException', 'InvalidRequestException'];
  return ended.includes(name) ? { outcome: 'unknown' as const } : undefined;
}

function withInvalid({ name, message }: Error) {
  const isInvalid = ['InvalidRequestException', 'ConflictException'].includes(name);
  return isInvalid ? { outcome: 'invalid' as const, why: `${name}: ${message}` } : undefined;
}

function found(
  { GameSessionPlacement }: { GameSessionPlacement?: Reported | undefined },
  placementId: string,
) {
  return { outcome: 'found' as const, placement: placementOf(GameSessionPlacement, placementId) };
}

function placementOf(reported: Reported | undefined, placementId: string): GameSessionPlacement {
  const {
    Status,
    EndTime,
    GameSessionArn,
    DnsName,
    IpAddress,
    Port,
    PlacedPlayerSessions = [],
  } = reported ?? {};
  const endedAtMs = EndTime?.getTime();
  if (Status === 'FULFILLED') {
    const sessions = PlacedPlayerSessions.map(({ PlayerId, PlayerSessionId }) => [PlayerId, PlayerSessionId]);
    return fulfilled(placementId, {
      endedAtMs,
      arn: GameSessionArn,
      address: DnsName || IpAddress,
      port: Port,
      sessions,
    });
  }
  // A report without a status is incomplete: ask again.
  if (Status === undefined || Status === 'PENDING') return { placementId, status: 'pending' };
  return { placementId, status: 'ended', why: Status, ...(endedAtMs !== undefined && { endedAtMs }) };
}

interface Fulfilled {
  readonly endedAtMs: number | undefined;
  readonly arn: string | undefined;
  readonly address: string | undefined;
  readonly port: number | undefined;
  readonly sessions: readonly (readonly (string | undefined)[])[];
}

function fulfilled(
  placementId: string,
  { endedAtMs, arn, address, port, sessions }: Fulfilled,
): GameSessionPlacement {
  const known = sessions.filter((pair): pair is [string, string] => pair.every(Boolean));
  return {
    placementId,
    status: 'fulfilled',
    ...(endedAtMs !== undefined && { endedAtMs }),
    session: {
      ...(arn && { arn }),
      ...(address && { address }),
      ...(port && { port }),
      playerSessions: Object.fromEntries(known),
    },
  };
}

/** An event of a placement, as EventBridge delivers it. */
const placementEvent = z.object({
  source: z.literal('aws.gamelift'),
  detail: z.object({
    type: z.string(),
    placementId: z.string(),
    endTime: z.string().optional(),
    gameSessionArn: z.string().optional(),
    dnsName: z.string().optional(),
    ipAddress: z.string().optional(),
    // Documented events have text here.
    port: z.union([z.string(), z.number()]).optional(),
    placedPlayerSessions: z
      .array(z.object({ playerId: z.string().optional(), playerSessionId: z.string().optional() }))
      .optional(),
  }),
});

/** Whether a message is an event of a placement. */
export function isPlacementEvent(message: unknown): boolean {
  return placementEvent.pick({ source: true }).safeParse(message).success;
}

/**
 * The placement that an event reports. Events other than `PlacementFulfilled` and ends are `pending`.
 * @throws Unreadable
 */
export function placementOfEvent(message: unknown): GameSessionPlacement {
  const { detail } = readWith(placementEvent, message, 'an event of GameLift');
  const { type, placementId, endTime, placedPlayerSessions = [] } = detail;
  const time = Date.parse(endTime ?? '');
  const endedAtMs = Number.isNaN(time) ? undefined : time;
  if (type === 'PlacementFulfilled') {
    return fulfilled(placementId, {
      endedAtMs,
      arn: detail.gameSessionArn,
      address: detail.dnsName || detail.ipAddress,
      port: Number(detail.port) || undefined,
      sessions: placedPlayerSessions.map(({ playerId, playerSessionId }) => [playerId, playerSessionId]),
    });
  }
  if (!ENDS.includes(type)) return { placementId, status: 'pending' };
  return { placementId, status: 'ended', why: type, ...(endedAtMs !== undefined && { endedAtMs }) };
}

const ENDS = ['PlacementCancelled', 'PlacementTimedOut', 'PlacementFailed'];

/** Creates one client for each region. @param region undefined: the region of the function */
export function clientsByRegion<Client>(
  create: (region: string | undefined) => Client,
): (region: string | undefined) => Client {
  const clients = new Map<string | undefined, Client>();
  return (region) => getOrCreate(clients, region, () => create(region));
}
