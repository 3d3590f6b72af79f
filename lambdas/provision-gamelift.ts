import { GameLiftClient } from '@aws-sdk/client-gamelift';
import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment, isGameLiftReachable } from '../lib/aws/environment.ts';
import {
  clientsByRegion,
  gameSessions,
  isPlacementEvent,
  placementOfEvent,
} from '../lib/aws/game-sessions.ts';
import { loggedIdsOf, matchIdOf } from '../lib/aws/match-message.ts';
import { messageConsumer, PROVISION_BACKOFF } from '../lib/aws/message-consumer.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import { reported } from '../lib/aws/report-queue.ts';
import { REQUEST_TIMEOUTS } from '../lib/aws/request-timeouts.ts';
import * as aws from '../lib/aws/services.ts';
import { attemptOf } from '../lib/provisioners/placement-attempts.ts';
import { provisioners } from '../lib/provisioners/provisioners.ts';
import { provision } from '../lib/service/placement/provision.ts';
import type { GameSessionPlacement } from '../lib/service/ports/game-sessions.ts';

const client = documentClient();
const clientOf = clientsByRegion(
  (region) => new GameLiftClient({ requestHandler: REQUEST_TIMEOUTS, ...(region && { region }) }),
);
const deps = {
  outcomes: aws.outcomes(client),
  presence: aws.presence(client),
  failedShareMax: aws.failedShareMax(),
  queues: aws.queues(client),
  matches: aws.matches(client),
  provisioners: provisioners(
    isGameLiftReachable()
      ? {
          gameLift: {
            sessions: gameSessions(clientOf),
            tickets: aws.readTickets(client),
            clock,
          },
        }
      : {},
  ),
};

/** A match to place, or an event of GameLift about its placement. */
interface Message {
  readonly matchId: string;
  readonly news?: GameSessionPlacement;
}

export const handler = messageConsumer(
  sqsClient(),
  [environment('GAMELIFT_QUEUE_URL')],
  {
    read: (message): Message => {
      if (!isPlacementEvent(message)) return { matchId: matchIdOf(message) };
      const news = placementOfEvent(message);
      return { matchId: attemptOf(news.placementId).matchId, news };
    },
    idsOf: ({ matchId }, message) => loggedIdsOf(matchId, message),
    consume: async ({ matchId, news }) => reported(await provision(deps, matchId, Date.now(), news)),
  },
  PROVISION_BACKOFF,
);
