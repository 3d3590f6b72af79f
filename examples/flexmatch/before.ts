import { GameLiftClient, StartMatchmakingCommand, StopMatchmakingCommand } from '@aws-sdk/client-gamelift';
import type { Party } from './party.ts';

const gameLift = new GameLiftClient();

// Call this when a party presses "find match".
export async function findMatch({ id, members }: Party) {
  await gameLift.send(
    new StartMatchmakingCommand({
      ConfigurationName: 'ranked',
      TicketId: id,
      Players: members.map(({ id, rank, modes, pings }) => ({
        PlayerId: id,
        PlayerAttributes: { rank: { N: rank }, modes: { SL: [...modes] } },
        LatencyInMs: { ...pings },
      })),
    }),
  );
}
export async function cancel(partyId: string) {
  await gameLift.send(new StopMatchmakingCommand({ TicketId: partyId }));
}
// Call this with a notification of the topic that the matchmaking configuration names.
export function onNotification(body: string) {
  const { detail } = JSON.parse(body);
  if (detail.type === 'MatchmakingSucceeded') {
    const { players } = detail.gameSessionInfo as { players: { playerId: string; team: string }[] };
    startGame(
      detail.matchId,
      Map.groupBy(players, ({ team }) => team),
    );
  }
}

/** Put your code here. */
function startGame(matchId: string, teams: ReadonlyMap<string, readonly { playerId: string }[]>) {
  for (const [team, players] of teams)
    console.log(`match ${matchId}, ${team}: ${players.map(({ playerId }) => playerId).join(', ')}`);
}
