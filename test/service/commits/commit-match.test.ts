import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../lib/contract/problem.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { MatchCommits } from '../../../lib/service/commits/commit-match.ts';
import { cellsOf } from '../../../lib/service/domain/buckets.ts';
import type { StoredTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { publish } from '../../../lib/service/events/publish.ts';
import { getMatch } from '../../../lib/service/placement/assign-match.ts';
import { checkDeadline } from '../../../lib/service/placement/deadline.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { deleteQueue } from '../../../lib/service/queues/queue-definitions.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { getTicket, getTickets } from '../../../lib/service/tickets/read-tickets.ts';
import { dispatch } from '../../../lib/service/ticks/dispatch.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { match, ticket } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';
import { Killed, mortalLine, withFaults } from '../faults.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { Line, VirtualCloud } from '../virtual-cloud.ts';

/** A match is committed in steps. Whatever happens between them, each ticket is in one match or waits. */
describe('a commit', () => {
  let cloud: VirtualCloud;
  let queue: string;
  const begin = ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });

  const id = (name: string) => `${queue}:${name}`;
  const define = (changes: Partial<QueueDefinition> = {}) =>
    putQueue(
      cloud.deps.queues,
      definition({ name: queue, tickSeconds: 10, timeoutSeconds: 3_000, ...changes }),
      cloud.nowMs,
    );
  const join = (name: string, skill = 1) => {
    const { ticketId, players } = ticket(queue, id(name), skill);
    return enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
  };
  const nextTick = () => {
    cloud.nowMs = Math.max(cloud.nowMs, Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs)));
    return cloud.dueTicks()[0]!;
  };
  const stored = async (name: string) => (await cloud.deps.tickets.get(id(name)))!;
  const record = async () => (await cloud.deps.queues.get(queue))!;
  const read = async (...names: string[]) =>
    (await getTickets(cloud.deps, names.map(id))).map(({ status }) => status);
  /** The ids of matches that exist. */
  const existing = async () => {
    const all = await Promise.all(cloud.ids.map((one) => cloud.deps.matches.get(one)));
    return all.flatMap((one) => one?.matchId ?? []);
  };
  /** The types of the events of this queue. Other tests use the same tables. */
  const eventTypes = () =>
    cloud.events.flatMap((event) => (event.queue === queue ? [event.type] : [])).sort();
  /** Runs a task once, just before the nth call of this name. */
  const justBefore = (call: string, nth: number, task: () => Promise<unknown>): Line => {
    let calls = 0;
    return async (what, effect) => {
      if (what === call && ++calls === nth) await cloud.on((_, go) => go(), task);
      return effect();
    };
  };
  const isCreate = 'PutItem';
  /** Kills a tick at its first call of this name, counted from the nth. */
  const killedAt = (call: string, nth: number, when: 'before' | 'after'): Line => {
    let calls = 0;
    let dead = false;
    return async (what, effect) => {
      if (dead) throw new Killed(what);
      if (what !== call || ++calls !== nth) return effect();
      dead = true;
      if (when === 'after') await effect();
      throw new Killed(what);
    };
  };
  const run = async (line: Line, task: () => Promise<unknown>) => {
    try {
      await cloud.on(line, task);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  };
  /** Two tickets that a killed tick has claimed. */
  const crashed = async (changes: Partial<QueueDefinition> = {}) => {
    await define(changes);
    await join('a');
    await join('b');
    const message = nextTick();
    await run(killedAt(isCreate, 1, 'before'), () => tick(cloud.deps, message));
    expect((await stored('a')).status).toBe('MATCHED');
    return message;
  };

  describe('whose tick crashed', () => {
    it('is repaired by dispatch when no ticket and no tick is left', async () => {
      await crashed();
      cloud.tickMessages.length = 0;
      cloud.nowMs += 5_000;
      await dispatch(cloud.deps, cloud.nowMs);
      // Its lease has not expired, so it may be running.
      expect((await stored('a')).status).toBe('MATCHED');
      expect(cloud.tickMessages).toEqual([]);
      cloud.nowMs += 60_000;
      const { failed, awake } = await dispatch(cloud.deps, cloud.nowMs);
      expect([failed, awake]).toEqual([[], [queue]]);
      expect(await Promise.all(['a', 'b'].map(async (name) => (await stored(name)).status))).toEqual([
        'QUEUED',
        'QUEUED',
      ]);
      // Its ticks were lost, so the next ones are those that dispatch has scheduled now.
      await cloud.run(180_000);
      expect(await read('a', 'b')).toEqual(['COMPLETED', 'COMPLETED']);
      expect(await existing()).toHaveLength(1);
    });

    it('is repaired although dispatch crashes at any of its calls', async () => {
      await withFaults(1, async (killing, label) => {
        await begin();
        await crashed();
        cloud.tickMessages.length = 0;
        cloud.nowMs += 60_000;
        await killing((line) =>
          cloud.on(line, async () => {
            const { failed } = await dispatch(cloud.deps, cloud.nowMs);
            const killed = failed.find(({ error }) => error instanceof Killed);
            if (killed !== undefined) throw killed.error;
          }),
        );
        await cloud.run(180_000);
        expect(await read('a', 'b'), label).toEqual(['COMPLETED', 'COMPLETED']);
      });
    });

    it('is repaired by the next tick of its range, although that crashes too at any of its calls', async () => {
      const calls = await withFaults(1, async (killing, label) => {
        await begin();
        await crashed();
        cloud.nowMs += 10_000;
        const message = nextTick();
        await killing((line) => cloud.on(line, () => tick(cloud.deps, message)));
        await cloud.run(180_000);
        expect(await read('a', 'b'), label).toEqual(['COMPLETED', 'COMPLETED']);
        expect(await existing(), label).toHaveLength(1);
      });
      expect(calls).toContain('BatchGetItem');
    });

    it('is repaired by the first tick of a new layout', async () => {
      await crashed({ buckets: [] });
      await define({ buckets: [50] });
      const { layouts } = await record();
      cloud.nowMs += 11_000;
      const slotMs = Math.ceil(Math.max(cloud.nowMs, layouts[1]!.fromMs) / 20_000) * 20_000;
      cloud.nowMs = slotMs;
      await tick(cloud.deps, { queue, slotMs, layout: 2, range: 0 });
      expect(await read('a', 'b')).toEqual(['COMPLETED', 'COMPLETED']);
      expect(await cloud.deps.ranges.crashed(queue, cellsOf(layouts[0]!), cloud.nowMs)).toEqual(new Map());
    });

    it('after it was created, is left as it is', async () => {
      await define();
      await join('a');
      await join('b');
      const message = nextTick();
      await run(killedAt(isCreate, 1, 'after'), () => tick(cloud.deps, message));
      expect(await read('a', 'b')).toEqual(['COMPLETED', 'COMPLETED']);
      const made = await existing();
      cloud.nowMs += 60_000;
      expect((await dispatch(cloud.deps, cloud.nowMs)).failed).toEqual([]);
      expect(await existing()).toEqual(made);
      expect(await read('a', 'b')).toEqual(['COMPLETED', 'COMPLETED']);
    });

    it('is settled once by a tick that waits for another cell', async () => {
      await define({ buckets: [50] });
      await join('a');
      await join('b');
      const slotMs = Math.ceil(cloud.nowMs / 20_000) * 20_000 + 10_000;
      cloud.nowMs = slotMs;
      const lease = (cell: string, owner: string, untilMs: number) => {
        const taken = { owner, slotMs: slotMs - 10_000, nowMs: slotMs - 10_000, untilMs };
        return cloud.deps.ranges.takeLease(queue, [cell], taken);
      };
      await lease('1.0', 'crashed', slotMs - 1);
      await lease('1.1', 'running', slotMs + 60_000);
      const settled: string[] = [];
      let sleeps = 0;
      const { journalUntilClosed, endLease } = cloud.deps.ranges;
      const ranges = {
        ...cloud.deps.ranges,
        journalUntilClosed: async (...args: Parameters<typeof journalUntilClosed>) => {
          settled.push(args[1]);
          return journalUntilClosed(...args);
        },
      };
      const line: Line = async (what, effect) => {
        if (what === 'sleep' && ++sleeps === 3)
          await cloud.on(
            (_, go) => go(),
            () => endLease(queue, ['1.1'], { owner: 'running' }),
          );
        return effect();
      };
      const message = { queue, slotMs, layout: 1, range: 0 };
      const result = await cloud.on(line, () => tick({ ...cloud.deps, ranges }, message));
      expect(result).toMatchObject({ outcome: 'searched' });
      expect(settled).toEqual(['crashed']);
    });

    it('publishes nothing of it: its tickets have been QUEUED all the time', async () => {
      await crashed({ events: ['TicketQueued', 'MatchFound'] });
      await cloud.run(180_000);
      expect(eventTypes()).toEqual(['MatchFound', 'TicketQueued', 'TicketQueued']);
    });
  });

  describe('of a tick that outlives its lease', () => {
    const names = ['a', 'b', 'c', 'd'];
    /**
     * A slow tick of four tickets. In its middle it is settled: by the next tick, which also searches its range, or by
     * dispatch, after which the tickets wait.
     */
    const overtaken = async (by: 'tick' | 'dispatch', before: string, nth: number, killing?: Line) => {
      await define({ teamSize: 2 });
      for (const name of names) await join(name);
      const slow = nextTick();
      const pause = justBefore(before, nth, async () => {
        cloud.nowMs += 10_000;
        if (by === 'tick') {
          expect(await tick(cloud.deps, nextTick())).toMatchObject({ outcome: 'searched' });
        } else {
          expect((await dispatch(cloud.deps, cloud.nowMs)).failed).toEqual([]);
        }
      });
      const line: Line = killing ? (what, effect) => pause(what, () => killing(what, effect)) : pause;
      await run(line, () => tick(cloud.deps, slow));
    };
    const expectOneMatch = async () => {
      expect(await read(...names)).toEqual(names.map(() => 'COMPLETED'));
      expect(await existing()).toHaveLength(1);
    };

    // The first update is the lease, the second the journal; four claims follow.
    const updates = [2, 3, 4, 5, 6].flatMap((nth) => [['tick', nth] as const, ['dispatch', nth] as const]);

    it.each(updates)(
      'and was settled by %s before its update %i releases what it claims',
      async (by, nth) => {
        await overtaken(by, 'UpdateItem', nth);
        for (const name of by === 'dispatch' ? names : []) expect((await stored(name)).status).toBe('QUEUED');
        await cloud.run(30_000);
        await expectOneMatch();
      },
    );

    it.each(['tick', 'dispatch'] as const)('and was settled by %s cannot create its match', async (by) => {
      await overtaken(by, isCreate, 1);
      await cloud.run(30_000);
      await expectOneMatch();
    });

    it.each(updates)(
      'and was settled by %s before its update %i, and then crashes: deadline looks at its tickets once more',
      async (by, nth) => {
        await overtaken(by, 'UpdateItem', nth, killedAt(isCreate, 1, 'before'));
        const claimed = (await Promise.all(names.map(stored))).filter(({ status }) => status === 'MATCHED');
        // The tick claims a ticket late, unless its journal was closed before.
        if (by === 'dispatch') expect(claimed).toHaveLength(nth === 2 ? 0 : 1);
        await cloud.run(240_000);
        await expectOneMatch();
      },
    );
  });

  describe('of which a ticket is cancelled meanwhile', () => {
    it('does not happen when the cancel comes before the creation, and the other ticket waits', async () => {
      await define();
      await join('a');
      await join('b');
      const message = nextTick();
      let cancelled: unknown;
      const result = await cloud.on(
        justBefore(isCreate, 1, async () => {
          cancelled = await cancelTicket(cloud.deps, id('a'), cloud.nowMs);
        }),
        () => tick(cloud.deps, message),
      );
      expect(cancelled).toMatchObject({ status: 'CANCELLED' });
      expect(cancelled).not.toHaveProperty('matchId');
      expect(result).toMatchObject({ matches: [], metrics: { lostRaces: 1 } });
      expect(await read('a', 'b')).toEqual(['CANCELLED', 'QUEUED']);
      expect((await stored('b')).status).toBe('QUEUED');
      expect(await existing()).toEqual([]);
    });

    it('happens when it is created while the cancel waits for it, which is rejected', async () => {
      await define();
      await join('a');
      await join('b');
      const message = nextTick();
      const isWaiting = Promise.withResolvers<void>();
      let committed: Promise<unknown> = Promise.resolve();
      const cancelLine: Line = async (what, effect) => {
        if (what === 'sleep') {
          isWaiting.resolve();
          await committed;
        }
        return effect();
      };
      let cancelled: Promise<unknown> = Promise.resolve();
      committed = cloud.on(
        justBefore(isCreate, 1, async () => {
          cancelled = cloud.on(cancelLine, () => cancelTicket(cloud.deps, id('a'), cloud.nowMs));
          cancelled.catch(() => {});
          await isWaiting.promise;
        }),
        () => tick(cloud.deps, message),
      );
      await committed;
      await expect(cancelled).rejects.toMatchObject({
        status: 409,
        extensions: { ticketStatus: 'COMPLETED' },
      });
      expect(await read('a', 'b')).toEqual(['COMPLETED', 'COMPLETED']);
    });

    it('is repaired when the cancel crashes at any of its calls', async () => {
      const calls = await withFaults(1, async (killing, label) => {
        await begin();
        await crashed();
        await killing((line) => cloud.on(line, () => cancelTicket(cloud.deps, id('a'), cloud.nowMs)));
        const repeated = await cancelTicket(cloud.deps, id('a'), cloud.nowMs);
        expect(repeated.status, label).toBe('CANCELLED');
        await cloud.run(180_000);
        expect(await read('a', 'b'), label).toEqual(['CANCELLED', 'QUEUED']);
        expect((await stored('b')).status, label).toBe('QUEUED');
      });
      expect(calls.filter((call) => call === 'UpdateItem')).toHaveLength(3);
    });
  });

  it('returns its tickets to a deleted queue, which dispatch keeps while one of its ticks may run', async () => {
    await define({ tickSeconds: 10, timeoutSeconds: 400 });
    await join('a');
    await join('b');
    const message = nextTick();
    await deleteQueue(cloud.deps.queues, queue, cloud.nowMs - 3 * 3_600_000);
    const line = justBefore(isCreate, 1, async () => {
      expect((await dispatch(cloud.deps, cloud.nowMs)).failed).toEqual([]);
      await cancelTicket(cloud.deps, id('a'), cloud.nowMs);
    });
    await cloud.on(line, () => tick(cloud.deps, message));
    expect(await read('b')).toEqual(['QUEUED']);
    await cloud.run(900_000);
    expect(await read('b')).toEqual(['TIMED_OUT']);
    expect(await cloud.deps.queues.get(queue)).toBeUndefined();
  });

  it('is QUEUED for every reader until its match is created', async () => {
    await define({ acceptance: { timeoutSeconds: 60 } });
    await join('a');
    await join('b');
    const message = nextTick();
    await cloud.on(
      justBefore(isCreate, 1, async () => {
        const { matchId, status } = await stored('a');
        expect(status).toBe('MATCHED');
        const views = [
          await getTicket(cloud.deps, id('a')),
          await getTicket(cloud.deps, id('a'), { waitMs: 1_000 }),
          ...(await getTickets(cloud.deps, [id('a')])),
          (await join('a')).ticket,
        ];
        for (const view of views) {
          expect(view.status).toBe('QUEUED');
          expect(view).not.toHaveProperty('matchId');
        }
        expect((await getTicket(cloud.deps, id('a'), { explain: true })).reason).toBeDefined();
        await expect(getMatch(cloud.deps, matchId!)).rejects.toMatchObject({ status: 404 });
        const accept = { accepted: true, matchId };
        await expect(answerMatch(cloud.deps, id('a'), accept, cloud.nowMs)).rejects.toMatchObject({
          status: 409,
          extensions: { ticketStatus: 'QUEUED' },
        });
      }),
      () => tick(cloud.deps, message),
    );
    expect(await read('a', 'b')).toEqual(['REQUIRES_ACCEPTANCE', 'REQUIRES_ACCEPTANCE']);
  });

  it('ends a long poll at its creation', async () => {
    await define();
    await join('a');
    await join('b');
    const message = nextTick();
    let polled: Promise<{ status: string }> | undefined;
    const isPolling = Promise.withResolvers<void>();
    await cloud.on(
      justBefore(isCreate, 1, async () => {
        const line: Line = async (what, effect) => {
          if (what === 'sleep') isPolling.resolve();
          return effect();
        };
        polled = cloud.on(line, () => getTicket(cloud.deps, id('a'), { waitMs: 20_000 }));
        await isPolling.promise;
      }),
      () => tick(cloud.deps, message),
    );
    expect((await polled)!.status).toBe('COMPLETED');
  });

  describe('of several ticks', () => {
    const commits = async (owner: string) => new MatchCommits(cloud.deps, await record(), owner);

    it('gives each ticket to one match at most, and returns those of the others', async () => {
      await define();
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      for (const name of names) await join(name);
      const all = await Promise.all(names.map(stored));
      const rivals = Array.from({ length: 6 }, (_, i) => [all[i]!, all[(i + 1) % 6]!] as StoredTicket[]);
      const outcomes = await Promise.all(
        rivals.map(async (theirs, i) => {
          const made = match(queue, id(`m${i}`), theirs.map(({ ticketId }) => ticketId).sort());
          return (await commits(`tick-${i}`)).commit(made, theirs, cloud.nowMs);
        }),
      );
      const winners = outcomes.flatMap((outcome, i) => (outcome === 'committed' ? [id(`m${i}`)] : []));
      for (const [i, outcome] of outcomes.entries()) {
        const made = await cloud.deps.matches.get(id(`m${i}`));
        expect(made !== undefined).toBe(outcome === 'committed');
        if (made === undefined) continue;
        for (const name of [names[i]!, names[(i + 1) % 6]!])
          expect((await stored(name)).matchId).toBe(id(`m${i}`));
      }
      for (const name of names) {
        const { status, matchId } = await stored(name);
        if (status === 'MATCHED') expect(winners).toContain(matchId);
        else expect([status, matchId]).toEqual(['QUEUED', undefined]);
      }
    });

    it.each(['before', 'after'] as const)(
      'releases its tickets when the store is busy, %s a claim is applied',
      async (when) => {
        await define();
        await join('a');
        await join('b');
        const { claim } = cloud.deps.tickets;
        const tickets = {
          ...cloud.deps.tickets,
          claim: async (...args: Parameters<typeof claim>) => {
            if (args[0] !== id('b')) return claim(...args);
            if (when === 'after') await claim(...args);
            throw new StoreBusy('throttled');
          },
        };
        const result = await tick({ ...cloud.deps, tickets }, nextTick());
        expect(result).toMatchObject({ matches: [], metrics: { busy: 1 } });
        for (const name of ['a', 'b']) expect((await stored(name)).status).toBe('QUEUED');
        await cloud.run(20_000);
        expect(await read('a', 'b')).toEqual(['COMPLETED', 'COMPLETED']);
      },
    );

    it('commits a match whose creation has succeeded although its response was lost', async () => {
      await define();
      await join('a');
      await join('b');
      const { create } = cloud.deps.matches;
      const matches = {
        ...cloud.deps.matches,
        create: async (...args: Parameters<typeof create>) => {
          await create(...args);
          throw new StoreBusy('no response');
        },
      };
      const result = await tick({ ...cloud.deps, matches }, nextTick());
      expect(result).toMatchObject({ metrics: { busy: 0, lostRaces: 0 } });
      expect(await read('a', 'b')).toEqual(['COMPLETED', 'COMPLETED']);
    });

    it('keeps its lease when it cannot settle a match, so that the next tick does', async () => {
      await define();
      await join('a');
      await join('b');
      const busy = async () => {
        throw new StoreBusy('throttled');
      };
      const matches = { ...cloud.deps.matches, create: busy, abandon: busy };
      await expect(tick({ ...cloud.deps, matches }, nextTick())).rejects.toThrow(StoreBusy);
      const { layouts } = await record();
      expect((await cloud.deps.ranges.crashed(queue, cellsOf(layouts[0]!), cloud.nowMs + 10_000)).size).toBe(
        1,
      );
      await cloud.run(40_000);
      expect(await read('a', 'b')).toEqual(['COMPLETED', 'COMPLETED']);
    });

    it('commits nothing when its journal cannot be written', async () => {
      await define();
      await join('a');
      await join('b');
      const ranges = {
        ...cloud.deps.ranges,
        putJournal: async () => {
          throw new StoreBusy('throttled');
        },
      };
      expect(await tick({ ...cloud.deps, ranges }, nextTick())).toMatchObject({ metrics: { busy: 1 } });
      for (const name of ['a', 'b']) expect((await stored(name)).status).toBe('QUEUED');
    });
  });

  it('writes several matches into one page of the journal, without a gap', async () => {
    await define();
    for (let i = 0; i < 40; i++) await join(`t${i}`, i);
    const pages: number[] = [];
    const { putJournal } = cloud.deps.ranges;
    const ranges = {
      ...cloud.deps.ranges,
      putJournal: async (...args: Parameters<typeof putJournal>) => {
        pages.push(args[2]);
        return putJournal(...args);
      },
    };
    const result = await tick({ ...cloud.deps, ranges }, nextTick());
    const [owner] = cloud.ids;
    const journal = await Promise.all(
      pages.map(async (page) => {
        const matches = await cloud.deps.ranges.journalUntilClosed(queue, owner!, page, cloud.nowMs);
        return matches === 'closed' ? [] : matches;
      }),
    );
    expect(
      journal
        .flat()
        .map(({ matchId }) => matchId)
        .sort(),
    ).toEqual((result.outcome === 'searched' ? result.matches : []).map(({ matchId }) => matchId).sort());
    expect(pages).toEqual(pages.map((_, i) => i));
    expect(pages.length).toBeLessThan(20);
  });

  describe('of 200 seats', () => {
    const names = Array.from({ length: 200 }, (_, i) => `t${String(i).padStart(3, '0')}`);
    const found = async (changes: Partial<QueueDefinition> = {}) => {
      await define({ teamSize: 100, ...changes });
      for (const name of names) await join(name);
      const result = await tick(cloud.deps, nextTick());
      if (result.outcome !== 'searched') throw new Error(result.why);
      expect(result.matches).toHaveLength(1);
      return result.matches[0]!.matchId;
    };

    it('happens', async () => {
      await found();
      expect(new Set(await read(...names.slice(0, 100)))).toEqual(new Set(['COMPLETED']));
      expect(new Set(await read(...names.slice(100)))).toEqual(new Set(['COMPLETED']));
    });

    it('is dissolved: the tickets that accepted wait, the others are cancelled', async () => {
      const matchId = await found({ acceptance: { timeoutSeconds: 20 } });
      const accepting = names.slice(0, 150);
      for (const name of accepting)
        await answerMatch(cloud.deps, id(name), { accepted: true, matchId }, cloud.nowMs);
      cloud.nowMs += 20_000;
      expect(await checkDeadline(cloud.deps, matchId, cloud.nowMs)).toBe('ended');
      for (const [i, name] of names.entries())
        expect((await stored(name)).status, name).toBe(i < 150 ? 'QUEUED' : 'CANCELLED');
    });
  });

  it('is dissolved by a decline although other tickets accept all the time, and later ones are refused', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `t${i}`);
    await define({ teamSize: 15, acceptance: { timeoutSeconds: 60 } });
    for (const name of names) await join(name);
    await tick(cloud.deps, nextTick());
    const matchId = (await stored('t0')).matchId!;
    const accepting = names.slice(1, -1);
    const answers: string[] = [];
    const line: Line = async (what, effect) => {
      if (what === 'UpdateItem' && accepting.length > 0) {
        const ticketId = id(accepting.pop()!);
        const accept = () => answerMatch(cloud.deps, ticketId, { accepted: true, matchId }, cloud.nowMs);
        const answer = cloud.on((_, go) => go(), accept);
        answers.push(
          await answer.then(
            ({ status }) => status,
            ({ status }: Problem) => `${status}`,
          ),
        );
      }
      return effect();
    };
    const decline = () => answerMatch(cloud.deps, id('t0'), { accepted: false, matchId }, cloud.nowMs);
    expect(await cloud.on(line, decline)).toMatchObject({ status: 'CANCELLED' });
    expect(answers).toEqual(['REQUIRES_ACCEPTANCE', '409']);
    expect(await read('t1', 't29')).toEqual(['QUEUED', 'QUEUED']);
  });

  describe('that was dissolved, and then the function crashed,', () => {
    const dissolved = async (killing?: Line) => {
      await define({ acceptance: { timeoutSeconds: 20 }, events: ['TicketQueued', 'TicketCancelled'] });
      await join('a');
      await join('b');
      await tick(cloud.deps, nextTick());
      const matchId = (await stored('a')).matchId!;
      const { line } = mortalLine();
      await run(killing ?? line, () =>
        answerMatch(cloud.deps, id('b'), { accepted: false, matchId }, cloud.nowMs),
      );
      return matchId;
    };

    it('shows its tickets as CANCELLED or QUEUED at once, and a ticket that returns can be cancelled', async () => {
      // The first update is that of the answers, the second one that of the match.
      const matchId = await dissolved(killedAt('UpdateItem', 2, 'after'));
      expect((await stored('a')).status).toBe('MATCHED');
      expect(await read('a', 'b')).toEqual(['QUEUED', 'CANCELLED']);
      expect(await getTicket(cloud.deps, id('b'))).toMatchObject({
        matchId,
        reason: `ticket ${id('b')} did not accept`,
      });
      expect(await cancelTicket(cloud.deps, id('b'), cloud.nowMs)).toMatchObject({ status: 'CANCELLED' });
      expect(await cancelTicket(cloud.deps, id('a'), cloud.nowMs)).toMatchObject({ status: 'CANCELLED' });
      // A repeated request does the rest.
      expect((await stored('b')).status).toBe('MATCHED');
      expect(await answerMatch(cloud.deps, id('b'), { accepted: false, matchId }, cloud.nowMs)).toMatchObject(
        {
          status: 'CANCELLED',
        },
      );
      expect((await stored('b')).status).toBe('CANCELLED');
      await cloud.run(120_000);
      expect(await read('a', 'b')).toEqual(['CANCELLED', 'CANCELLED']);
    });

    it.each([1, 2, 3, 4, 5])('is finished by the sweep of deadlines after its update %i', async (nth) => {
      const matchId = await dissolved(killedAt('UpdateItem', nth, 'after'));
      cloud.deadlineMessages.length = 0;
      await cloud.run(120_000);
      expect(await Promise.all(['a', 'b'].map(async (name) => (await stored(name)).status))).toEqual([
        'QUEUED',
        'CANCELLED',
      ]);
      await publish(cloud.deps, await cloud.newChanges());
      expect(eventTypes().filter((type) => type.startsWith('Ticket'))).toEqual([
        'TicketCancelled',
        'TicketQueued',
        'TicketQueued',
        'TicketQueued',
      ]);
      expect(await cloud.deps.overdue.findOverdue(cloud.nowMs + 3_600_000)).not.toContain(matchId);
    });
  });
});
