import { describe, expect, it } from 'vitest';
import { placementOfEvent } from '../../lib/aws/game-sessions.ts';
import type { Assignment } from '../../lib/contract/match.ts';
import type { ProvisionerOptions } from '../../lib/contract/queue-definition.ts';
import { sessionData } from '../../lib/provisioners/gamelift.ts';
import { toMatchView } from '../../lib/service/domain/stored-match.ts';
import { SESSION_DATA_LENGTH_MAX } from '../../lib/service/ports/game-sessions.ts';
import { match, NOW_MS, ticket } from '../aws/samples.ts';
import type { Fault } from '../service/faults.ts';
import { error } from './game-lift-stand-in.ts';
import { HostingWorld, MATCH_ID, withFaultsFrom } from './hosting-world.ts';

const OPTIONS = {
  type: 'gamelift',
  gameSessionQueue: 'MegaFrogRace-NA',
  timeoutSeconds: 100,
} as const satisfies ProvisionerOptions;

const FLEET = 'arn:aws:gamelift:us-west-2::gamesession/fleet-2222bbbb-cc33-dd44-ee55-6666ffff77aa';
const OWN: Assignment = {
  address: 'ec2-12-34-56-78.example',
  port: 6262,
  sessionId: `${FLEET}/${MATCH_ID}`,
  tokens: { 'a.0': 'psess-a.0', 'b.0': 'psess-b.0' },
};
const second = (attempt: number) => `${MATCH_ID}-try${attempt}`;

const operations = (world: HostingWorld) => world.gameLift.calls.map(({ operation }) => operation);
const count = (world: HostingWorld, operation: string) =>
  operations(world).filter((each) => each === operation).length;
const secondsSinceStart = (world: HostingWorld) => (world.nowMs - NOW_MS) / 1_000;

/** The match has ended, and exactly the servers run that it needs. */
function expectNothingLeft(world: HostingWorld, label: unknown): void {
  const { status, assignment } = world.match;
  expect(['COMPLETED', 'FAILED'], JSON.stringify(label)).toContain(status);
  const own = assignment?.sessionId?.startsWith(FLEET) ? [assignment.sessionId] : [];
  expect([...world.gameLift.running], JSON.stringify(label)).toEqual(own);
  const pending = [...world.gameLift.placements.values()].filter(({ Status }) => Status === 'PENDING');
  expect(pending, JSON.stringify(label)).toEqual([]);
}

describe('the gamelift provisioner', () => {
  it('starts one placement with the players, their latencies, and the match as data', async () => {
    const world = new HostingWorld({ ...OPTIONS, gameProperties: { map: 'dust' } });
    const [a, b] = world.tickets;
    world.tickets = [
      { ...a!, players: [{ ...a!.players[0]!, latencyMs: { 'us-west-2': 20.5, 'eu-west-1': 150 } }] },
      b!,
    ];
    world.after(10, () => world.gameLift.fulfil(MATCH_ID));
    world.after(10, () => world.hear(MATCH_ID));
    const placing = toMatchView(world.match);
    await world.run();
    const starts = world.gameLift.calls.filter(({ operation }) => operation === 'StartGameSessionPlacement');
    expect(starts.map(({ input }) => input)).toEqual([
      {
        PlacementId: MATCH_ID,
        GameSessionQueueName: 'MegaFrogRace-NA',
        MaximumPlayerSessionCount: 2,
        DesiredPlayerSessions: [{ PlayerId: 'a.0' }, { PlayerId: 'b.0' }],
        PlayerLatencies: [
          { PlayerId: 'a.0', RegionIdentifier: 'us-west-2', LatencyInMilliseconds: 20.5 },
          { PlayerId: 'a.0', RegionIdentifier: 'eu-west-1', LatencyInMilliseconds: 150 },
        ],
        GameProperties: [{ Key: 'map', Value: 'dust' }],
        GameSessionData: JSON.stringify(placing),
      },
    ]);
  });

  it('assigns the match by the event of its placement, and asks nothing', async () => {
    const world = new HostingWorld(OPTIONS);
    world.after(10, () => world.gameLift.fulfil(MATCH_ID));
    world.after(10, () => world.hear(MATCH_ID));
    await world.run();
    expect(world.match.assignment).toEqual(OWN);
    expect(operations(world)).toEqual(['StartGameSessionPlacement']);
    expectNothingLeft(world, '');
  });

  it('passes the latencies of 200 tickets', async () => {
    const world = new HostingWorld(OPTIONS);
    const names = Array.from({ length: 200 }, (_, i) => `t${i}`);
    world.match = match('q', MATCH_ID, names, { status: 'PLACING', deadline: world.match.deadline! });
    world.tickets = names.map((name) => {
      const one = ticket('q', name, 1);
      return { ...one, players: [{ ...one.players[0]!, latencyMs: { 'us-west-2': 20 } }] };
    });
    world.after(10, () => world.gameLift.fulfil(MATCH_ID));
    await world.run();
    expect(world.gameLift.placements.get(MATCH_ID)!.PlayerLatencies).toHaveLength(200);
    expect(world.match.status).toBe('COMPLETED');
  });

  it('gives the IP address when the server has no host name', async () => {
    const world = new HostingWorld(OPTIONS);
    world.after(10, () => world.gameLift.fulfil(MATCH_ID, { DnsName: '' }));
    world.after(10, () => world.hear(MATCH_ID));
    await world.run();
    expect(world.match.assignment?.address).toBe('12.34.56.78');
  });

  it('asks at half of the time when no event has come', async () => {
    const world = new HostingWorld(OPTIONS);
    world.after(10, () => world.gameLift.fulfil(MATCH_ID));
    await world.run();
    expect(world.match.assignment).toEqual(OWN);
    expect(secondsSinceStart(world)).toBe(50);
    expect(operations(world)).toEqual(['StartGameSessionPlacement', 'DescribeGameSessionPlacement']);
  });

  it('keeps asking until the deadline when the placement is pending at half of the time', async () => {
    const world = new HostingWorld(OPTIONS);
    world.after(71, () => world.gameLift.fulfil(MATCH_ID));
    await world.run();
    expect(world.match.assignment).toEqual(OWN);
    expect(secondsSinceStart(world)).toBe(80);
  });

  it.each(['port', 'dnsName', 'gameSessionArn', 'placedPlayerSessions'])(
    'asks GameLift when the event has no %s',
    async (field) => {
      const world = new HostingWorld(OPTIONS);
      world.after(10, () => world.gameLift.fulfil(MATCH_ID));
      world.after(11, () =>
        world.hear(MATCH_ID, (event) => {
          const { [field]: _, ipAddress: _ip, ...detail } = event.detail as Record<string, unknown>;
          return { ...event, detail };
        }),
      );
      await world.run();
      expect(world.match.assignment).toEqual(OWN);
      expect(count(world, 'DescribeGameSessionPlacement')).toBe(1);
    },
  );

  it('asks again while the answer lacks a player session', async () => {
    const world = new HostingWorld(OPTIONS);
    world.after(10, () => {
      world.gameLift.fulfil(MATCH_ID);
      world.gameLift.placements.get(MATCH_ID)!.PlacedPlayerSessions!.pop();
    });
    world.after(60, () =>
      world.gameLift.placements
        .get(MATCH_ID)!
        .PlacedPlayerSessions!.push({ PlayerId: 'b.0', PlayerSessionId: 'psess-b.0' }),
    );
    await world.run();
    expect(world.match.assignment).toEqual(OWN);
  });

  it('finds its placement when a request is repeated', async () => {
    const world = new HostingWorld(OPTIONS, { call: 4, when: 'after' });
    world.after(1, () => world.gameLift.fulfil(MATCH_ID));
    await world.run();
    expect(world.calls[3]).toBe('StartGameSessionPlacement');
    expect(world.gameLift.placements.size).toBe(1);
    expectNothingLeft(world, '');
  });

  it.each(['TIMED_OUT', 'FAILED', 'CANCELLED'] as const)(
    'starts another placement after one that is %s, while there is time',
    async (status) => {
      const world = new HostingWorld(OPTIONS);
      world.after(5, () => world.gameLift.end(MATCH_ID, status));
      world.after(5, () => world.hear(MATCH_ID));
      world.after(7, () => world.gameLift.end(second(2), status));
      world.after(7, () => world.hear(second(2)));
      world.after(20, () => world.gameLift.fulfil(second(3)));
      world.after(20, () => world.hear(second(3)));
      await world.run();
      expect(world.match.assignment).toEqual({ ...OWN, sessionId: `${FLEET}/${second(3)}` });
      const starts = [...world.gameLift.placements.values()].map(
        ({ StartTime }) => StartTime - NOW_MS / 1_000,
      );
      // The pauses are 1 s and 4 s.
      expect(starts).toEqual([0, 6, 11]);
      expectNothingLeft(world, '');
    },
  );

  it('starts another placement without any event', async () => {
    const world = new HostingWorld(OPTIONS);
    world.after(5, () => world.gameLift.end(MATCH_ID, 'TIMED_OUT'));
    world.after(55, () => world.gameLift.fulfil(second(2)));
    await world.run();
    expect(world.match.assignment?.sessionId).toBe(`${FLEET}/${second(2)}`);
    expectNothingLeft(world, '');
  });

  it('stops the placement of a match that has failed at its deadline', async () => {
    const world = new HostingWorld(OPTIONS);
    await world.run();
    expect(world.match.status).toBe('FAILED');
    expect(world.gameLift.placements.get(MATCH_ID)!.Status).toBe('CANCELLED');
    expectNothingLeft(world, '');
  });

  it('terminates the game session of a match that has failed since', async () => {
    const world = new HostingWorld(OPTIONS);
    world.after(99.5, () => world.gameLift.fulfil(MATCH_ID));
    // The event comes after the deadline.
    world.after(101, () => world.hear(MATCH_ID));
    await world.run();
    expect(world.match.status).toBe('FAILED');
    expect(count(world, 'TerminateGameSession')).toBe(1);
    expectNothingLeft(world, '');
  });

  it.each([true, false])(
    'frees its server when the studio has assigned the match itself (before GameLift: %s)',
    async (before) => {
      const world = new HostingWorld(OPTIONS);
      const assign = () => world.assign({ address: 'other.example', sessionId: 'other' });
      if (before) world.after(5, assign);
      world.after(10, () => world.gameLift.fulfil(MATCH_ID));
      if (!before) world.after(20, assign);
      await world.run();
      expect(world.match.assignment?.address).toBe('other.example');
      expectNothingLeft(world, '');
    },
  );

  it('keeps the game session of its match when the ARN does not show whose it is', async () => {
    const world = new HostingWorld(OPTIONS);
    world.gameLift.arnEndsInPlacementId = false;
    world.after(10, () => world.gameLift.fulfil(MATCH_ID));
    world.after(10, () => world.hear(MATCH_ID));
    await world.run();
    expect(count(world, 'TerminateGameSession')).toBe(0);
    expectNothingLeft(world, '');
  });

  it.each(['UnauthorizedException', 'NotFoundException', 'AccessDeniedException', 'InvalidRequestException'])(
    'fails the match after %s, with a reason that does not quote GameLift',
    async (code) => {
      const world = new HostingWorld(OPTIONS);
      world.gameLift.reject = (operation) =>
        operation === 'StartGameSessionPlacement' ? error(code, 'secret details') : undefined;
      await world.run();
      expect(world.match).toMatchObject({
        status: 'FAILED',
        reason: expect.stringContaining('GameLift rejected it'),
      });
      expect(world.match.reason).not.toContain('secret');
      expect(count(world, 'StartGameSessionPlacement')).toBe(1);
    },
  );

  it.each(['InternalServiceException', 'LimitExceededException', 'ThrottlingException'])(
    'tries again after %s',
    async (code) => {
      const world = new HostingWorld(OPTIONS);
      world.gameLift.reject = () => (world.gameLift.calls.length <= 3 ? error(code, 'busy', 500) : undefined);
      world.after(30, () => world.gameLift.fulfil(MATCH_ID));
      world.after(30, () => world.hear(MATCH_ID));
      await world.run();
      expect(world.match.assignment).toEqual(OWN);
      expectNothingLeft(world, '');
    },
  );

  it('tries as long as the match has time, and then leaves nothing behind', async () => {
    const world = new HostingWorld(OPTIONS);
    world.gameLift.reject = () =>
      world.nowMs < NOW_MS + 130_000 ? error('InternalServiceException', 'down', 500) : undefined;
    await world.run();
    expect(world.match.status).toBe('FAILED');
    const starts = world.gameLift.calls.filter(({ operation }) => operation.startsWith('Start'));
    expect(starts.length).toBeGreaterThan(3);
    expectNothingLeft(world, '');
  });
});

/** What happens to a match from outside, besides a fault. */
const COURSES: Readonly<Record<string, (world: HostingWorld) => void>> = {
  'an event assigns it': (world) => {
    world.after(10, () => world.gameLift.placements.has(MATCH_ID) && world.gameLift.fulfil(MATCH_ID));
    world.after(10, () => world.gameLift.placements.has(MATCH_ID) && world.hear(MATCH_ID));
  },
  'the event is lost': (world) => {
    world.after(10, () => world.gameLift.placements.has(MATCH_ID) && world.gameLift.fulfil(MATCH_ID));
  },
  'every second placement times out': (world) => {
    for (let seconds = 2; seconds < 400; seconds += 2) {
      world.after(seconds, () => {
        for (const [id, { Status }] of [...world.gameLift.placements]) {
          if (Status !== 'PENDING') continue;
          if (world.gameLift.placements.size % 2 === 1) world.gameLift.end(id, 'TIMED_OUT');
          else world.gameLift.fulfil(id);
          world.hear(id);
        }
      });
    }
  },
  'GameLift never answers': () => {},
  'GameLift answers just before the deadline': (world) => {
    world.after(99, () => world.gameLift.placements.has(MATCH_ID) && world.gameLift.fulfil(MATCH_ID));
    world.after(100.5, () => world.gameLift.placements.has(MATCH_ID) && world.hear(MATCH_ID));
  },
  'the studio assigns it': (world) => {
    world.after(3, () => world.isPlacing && world.assign({ address: 'other.example' }));
    world.after(10, () => world.gameLift.placements.has(MATCH_ID) && world.gameLift.fulfil(MATCH_ID));
  },
  'GameLift rejects it': (world) => {
    world.gameLift.reject = (operation) =>
      operation.startsWith('Start') ? error('UnauthorizedException', 'no') : undefined;
  },
};

describe('a function that is killed at any of its calls', () => {
  it.each(Object.entries(COURSES).map((course, from) => [...course, from] as const))(
    'leaves no server without a match, and no match without an end: %s',
    async (_, course, from) => {
      const calls = await withFaultsFrom(from, async (fault: Fault | undefined) => {
        const world = new HostingWorld(OPTIONS, fault);
        course(world);
        await world.run();
        expectNothingLeft(world, fault);
        // A placement starts only when the one before it has ended without a game session.
        const all = [...world.gameLift.placements.values()];
        for (const [i, { Status }] of all.slice(0, -1).entries())
          expect(['TIMED_OUT', 'FAILED', 'CANCELLED'], `${i} ${JSON.stringify(fault)}`).toContain(Status);
        return world;
      });
      expect(calls).toBeGreaterThan(5);
    },
  );

  it('finds the match at its end in any order of the messages', async () => {
    for (const seconds of [1, 49, 50, 51, 99, 100, 101, 120]) {
      const world = new HostingWorld(OPTIONS);
      world.after(seconds, () => world.gameLift.placements.has(MATCH_ID) && world.gameLift.fulfil(MATCH_ID));
      world.after(seconds + 1, () => world.hear(MATCH_ID));
      world.after(seconds + 1, () => world.hear(MATCH_ID));
      await world.run();
      expectNothingLeft(world, seconds);
    }
  });
});

describe('an event of GameLift', () => {
  it('is read in the documented format', () => {
    const event = {
      version: '0',
      id: '1111aaaa-bb22-cc33-dd44-5555eeee66ff',
      'detail-type': 'GameLift Queue Placement Event',
      source: 'aws.gamelift',
      account: '123456789012',
      time: '2021-03-01T15:50:52Z',
      region: 'us-east-1',
      resources: ['arn:aws:gamelift:us-west-2:123456789012:gamesessionqueue/MegaFrogRace-NA'],
      detail: {
        type: 'PlacementFulfilled',
        placementId: '9999ffff-ee88-dd77-cc66-5555bbbb44aa',
        port: '6262',
        gameSessionArn: `${FLEET}/4444dddd-ee55-ff66-77aa-8888bbbb99cc`,
        ipAddress: '98.987.98.987',
        dnsName: 'ec2-12-345-67-890.us-west-2.compute.amazonaws.com',
        startTime: '2021-03-01T15:50:49.741Z',
        endTime: '2021-03-01T15:50:52.084Z',
        gameSessionRegion: 'us-west-2',
        placedPlayerSessions: [{ playerId: 'player-1', playerSessionId: 'psess-1232131232324124123123' }],
      },
    };
    expect(placementOfEvent(event)).toEqual({
      placementId: '9999ffff-ee88-dd77-cc66-5555bbbb44aa',
      status: 'fulfilled',
      endedAtMs: Date.parse('2021-03-01T15:50:52.084Z'),
      session: {
        arn: `${FLEET}/4444dddd-ee55-ff66-77aa-8888bbbb99cc`,
        address: 'ec2-12-345-67-890.us-west-2.compute.amazonaws.com',
        port: 6262,
        playerSessions: { 'player-1': 'psess-1232131232324124123123' },
      },
    });
    const { detail } = event;
    for (const type of ['PlacementCancelled', 'PlacementTimedOut', 'PlacementFailed'])
      expect(placementOfEvent({ ...event, detail: { ...detail, type } })).toMatchObject({
        status: 'ended',
        why: type,
      });
    expect(() => placementOfEvent({ ...event, detail: {} })).toThrow(/cannot be read/);
  });
});

describe('the data of a game session', () => {
  it('is the whole match when it fits, and loses attributes with a mark when it does not', () => {
    const view = toMatchView(new HostingWorld(OPTIONS).match);
    expect(JSON.parse(sessionData(view))).toEqual(view);
    const attributes = { loadout: Array.from({ length: 50 }, () => 'x'.repeat(64)) };
    const players = Array.from({ length: 198 }, (_, i) => ({
      playerId: `${i}`.padStart(128, 'p'),
      attributes,
    }));
    const cut = sessionData({ ...view, teams: [{ players }] });
    expect(cut.length).toBeLessThanOrEqual(SESSION_DATA_LENGTH_MAX);
    expect(JSON.parse(cut)).toMatchObject({ matchId: MATCH_ID, cut: true });
    expect(JSON.parse(cut).teams[0].players).toEqual(players.map(({ playerId }) => ({ playerId })));
  });
});
