import { beforeAll, describe, expect, it } from 'vitest';
import { queueStore } from '../../../lib/aws/queue-store.ts';
import { deployDefinitions } from '../../../lib/service/definitions/deploy-definitions.ts';
import { listVersions } from '../../../lib/service/definitions/versions.ts';
import { digestOf } from '../../../lib/service/domain/stored-definition.ts';
import { Unreadable } from '../../../lib/service/domain/unreadable.ts';
import type { DeploymentNote, DeploymentNotes } from '../../../lib/service/ports/deployment-notes.ts';
import type { QueueStore } from '../../../lib/service/ports/queue-store.ts';
import { deleteQueue } from '../../../lib/service/queues/queue-definitions.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';
import { startTables } from '../../aws/emulated-tables.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { sample } from '../../long.ts';
import { definition, putQueue, queuesWithoutLadders } from '../definitions.ts';

/** The time-outs of the definitions in a folder, by queue. */
type Folder = Readonly<Record<string, number>>;

const filesOf = (folder: Folder) =>
  Object.fromEntries(
    Object.entries(folder).map(([name, timeoutSeconds]) => [
      name,
      JSON.stringify(definition({ name, timeoutSeconds })),
    ]),
  );

/** What the properties of the custom resource have of a folder. */
const digestsOf = (folder: Folder) =>
  Object.fromEntries(
    Object.entries(folder).map(([name, timeoutSeconds]) => [
      name,
      digestOf(definition({ name, timeoutSeconds })),
    ]),
  );

/** The calls of a store that change something. */
const WRITES = ['put', 'keep', 'recordDeployed'] as const;

/** Throws instead of a write, or after it, from the write with this number on. */
class Crash extends Error {}
class RollbackFailed extends Error {}

function crashing(store: QueueStore, at: number, isApplied: boolean): QueueStore {
  let writes = 0;
  const crashed = { ...store };
  for (const name of WRITES) {
    const write = store[name] as (...args: unknown[]) => Promise<unknown>;
    Object.assign(crashed, {
      [name]: async (...args: unknown[]) => {
        if (writes++ < at) return write(...args);
        if (isApplied) await write(...args);
        throw new Crash('the function ended');
      },
    });
  }
  return crashed;
}

describe('a deployment of queue definitions', () => {
  let queues: QueueStore;
  let count = 0;
  let requests = 0;
  let nowMs = NOW_MS;
  beforeAll(async () => {
    const tables = await startTables('memory');
    queues = queueStore(tables.client(), tables.names.queues);
  });

  /** A stack with queues of its own, whose names are short here. */
  function stack() {
    const suffix = `-${++count}`;
    let last: Folder | undefined;
    let noted: DeploymentNote | undefined;
    const deployments: DeploymentNotes = {
      last: async () => noted,
      note: async (note) => {
        noted = note;
      },
    };
    const named = (folder: Folder) =>
      Object.fromEntries(Object.entries(folder).map(([name, value]) => [name + suffix, value]));
    const short = (names: readonly string[]) =>
      names.map((name) => name.slice('queue '.length, -suffix.length)).sort();
    const at = () => (nowMs += 1_000);
    /** What the custom resource does. `from`: the properties of the deployment before. */
    const update = async (
      folder: Folder,
      from: Folder | undefined,
      store = queues,
      requestId = `request-${++requests}`,
    ) => {
      const done = await deployDefinitions(
        { kinds: [queuesWithoutLadders(store)], deployments },
        {
          wanted: { queue: filesOf(named(folder)) },
          before: from && { queue: digestsOf(named(from)) },
          requestId,
        },
        at(),
      );
      return { ...done, put: short(done.put), kept: short(done.kept), deleted: short(done.deleted) };
    };
    return {
      update,
      /** A deployment, and when it fails the rollback that CloudFormation makes. */
      async deploy(folder: Folder, store = queues) {
        const from = last;
        try {
          const done = await update(folder, from, store);
          last = folder;
          return done;
        } catch (error) {
          // The rollback of the first deployment deletes the resource, which changes nothing.
          if (from !== undefined)
            await update(from, folder).catch((cause) => {
              throw new RollbackFailed('CloudFormation cannot roll back', { cause });
            });
          throw error;
        }
      },
      put: (name: string, timeoutSeconds: number) =>
        putQueue(queues, definition({ name: name + suffix, timeoutSeconds }), at(), { by: 'oncall' }),
      delete: (name: string) => deleteQueue(queues, name + suffix, at()),
      async remove(name: string) {
        await deleteQueue(queues, name + suffix, at());
        await queues.remove((await queues.get(name + suffix))!);
      },
      async live(name: string) {
        const record = await queues.get(name + suffix);
        return record?.deletedAt === undefined ? record?.definition.timeoutSeconds : undefined;
      },
      /** Whether the version list says that the live definition is the deployment's. */
      isDeployed: async (name: string) =>
        (await listVersions(queuesWithoutLadders(queues), name + suffix))[0]!.isDeployed,
      version: async (name: string) => (await queues.get(name + suffix))?.change?.version,
    };
  }

  it('puts only the definitions whose files have changed since the last one', async () => {
    const { deploy, put, live, version } = stack();
    expect(await deploy({ arena: 100, duel: 100 })).toMatchObject({ put: ['arena', 'duel'] });
    await put('arena', 300);
    expect(await deploy({ arena: 100, duel: 101 })).toMatchObject({ put: ['duel'], kept: ['arena'] });
    expect([await live('arena'), await live('duel')]).toEqual([300, 101]);
    expect(await version('arena')).toBe(2);
  });

  it('finds the files unchanged in a stack that has no deployment before', async () => {
    const { deploy, update, put, live } = stack();
    await deploy({ arena: 100 });
    await put('arena', 300);
    // The stack was deleted and created again; its table was retained.
    expect(await update({ arena: 100 }, undefined)).toMatchObject({ put: [], kept: ['arena'] });
    expect(await live('arena')).toBe(300);
  });

  it('fails before any change when a file and its live definition have both changed, and says what to do', async () => {
    const { deploy, put, live } = stack();
    await deploy({ arena: 100, duel: 100 });
    await put('arena', 300);
    await expect(deploy({ arena: 200, duel: 101 })).rejects.toThrow(
      /Queue arena-\d+: its file was changed .* version 2, .*oncall.*GET \/queues\/arena-\d+.*PUT \/queues\/arena-\d+.*Nothing was changed\./s,
    );
    expect([await live('arena'), await live('duel')]).toEqual([300, 100]);
    // One of the two ways out: the file's definition is put. The other one is the live definition in the file.
    await put('arena', 200);
    expect(await deploy({ arena: 200, duel: 101 })).toMatchObject({ put: ['duel'] });
    await put('arena', 400);
    expect(await deploy({ arena: 400, duel: 101 })).toMatchObject({ put: [], conflicts: [] });
    expect(await deploy({ arena: 500, duel: 101 })).toMatchObject({ put: ['arena'] });
  });

  it('does not take over a queue that was created through the API with another definition', async () => {
    const { deploy, put, live } = stack();
    await put('arena', 300);
    await expect(deploy({ arena: 100 })).rejects.toThrow(/Queue arena-\d+/);
    expect(await live('arena')).toBe(300);
    expect(await deploy({ arena: 300 })).toMatchObject({ put: [] });
    expect(await deploy({ arena: 301 })).toMatchObject({ put: ['arena'] });
  });

  it('takes over the definitions that a version without notes has deployed', async () => {
    const { update, put, live } = stack();
    await put('arena', 100);
    await put('duel', 100);
    await put('duel', 300);
    const from = { arena: 100, duel: 100 };
    expect(await update({ arena: 101, duel: 100 }, from)).toMatchObject({ put: ['arena'], kept: ['duel'] });
    await expect(update({ arena: 101, duel: 101 }, from)).rejects.toThrow(/Queue duel-\d+/);
    expect([await live('arena'), await live('duel')]).toEqual([101, 300]);
  });

  it('deletes the queue of a removed file, unless it was changed since', async () => {
    const { deploy, put, live } = stack();
    await deploy({ arena: 100, duel: 100 });
    await deploy({ arena: 101, duel: 101 });
    expect(await deploy({ arena: 101 })).toMatchObject({ deleted: ['duel'] });
    expect(await live('duel')).toBeUndefined();
    await put('arena', 300);
    await expect(deploy({})).rejects.toThrow(/Queue arena-\d+: its file was removed.*DELETE \/queues\/arena/);
    expect(await live('arena')).toBe(300);
    expect(await deploy({ arena: 101, duel: 101 })).toMatchObject({ put: ['duel'], kept: ['arena'] });
  });

  it.each(['delete', 'remove'] as const)('does not bring back a queue after its live %s', async (gone) => {
    const one = stack();
    await one.deploy({ arena: 100, duel: 100 });
    await one[gone]('arena');
    expect(await one.deploy({ arena: 100, duel: 101 })).toMatchObject({ put: ['duel'], kept: ['arena'] });
    expect(await one.live('arena')).toBeUndefined();
    await expect(one.deploy({ arena: 102, duel: 101 })).rejects.toThrow(/the queue was deleted/);
    await one.put('arena', 102);
    expect(await one.deploy({ arena: 102, duel: 101 })).toMatchObject({ put: [] });
  });

  it('can be rolled back after it was complete, and a live change in between stays and does not fail the rollback', async () => {
    const { deploy, update, put, live, isDeployed } = stack();
    await deploy({ arena: 100, duel: 100 });
    await deploy({ arena: 200, duel: 200, trio: 200 });
    expect(await isDeployed('arena')).toBe(true);
    await put('arena', 300);
    await put('solo', 300);
    await put('trio', 300);
    const from = { arena: 200, duel: 200, trio: 200 };
    const back = await update({ arena: 100, duel: 100 }, from, queues, 'back');
    expect(back).toMatchObject({
      put: ['duel'],
      deleted: [],
      conflicts: [expect.any(String), expect.any(String)],
    });
    expect([await live('arena'), await live('duel'), await live('trio')]).toEqual([300, 100, 300]);
    expect([await isDeployed('arena'), await isDeployed('duel'), await isDeployed('trio')]).toEqual([
      false,
      true,
      false,
    ]);
    // No deployment has named it.
    expect(await isDeployed('solo')).toBeUndefined();
    expect(await update({ arena: 100, duel: 100 }, from, queues, 'back')).toMatchObject({ put: [] });
    // Forward again is a deployment like any other.
    await put('duel', 400);
    await expect(update(from, { arena: 100, duel: 100 })).rejects.toThrow(/Queue duel-\d+/);
  });

  it.each([
    ['an hour after the deployment that it takes back', { arena: 100 }, { arena: 200 }, 3_600_000],
    ['of all files, after the first one', undefined, { arena: 200 }, 0],
  ])('is no rollback, and fails in a conflict, when it is a return %s', async (_, from, to, afterMs) => {
    const { deploy, update, put, live } = stack();
    if (from !== undefined) await deploy(from);
    await update(to, from);
    await put('arena', 300);
    nowMs += afterMs;
    const back = from ?? {};
    await expect(update(back, to)).rejects.toThrow(/Queue arena-\d+/);
    expect(await live('arena')).toBe(300);
  });

  it('fails when the file of a queue is removed whose live definition cannot be read', async () => {
    const { deploy, live } = stack();
    await deploy({ a: 60, b: 60 });
    const unreadable: QueueStore = {
      ...queues,
      get: async (name) => {
        const record = await queues.get(name);
        if (name.startsWith('a')) throw new Unreadable('a definition of a later version');
        return record;
      },
    };
    await expect(deploy({ b: 60 }, unreadable)).rejects.toThrow(
      /cannot be deleted: its definition cannot be read/,
    );
    expect(await live('a')).toBe(60);
    expect(await deploy({ b: 60 })).toMatchObject({ deleted: ['a'] });
  });

  it('decides again about a queue that is changed while it runs', async () => {
    const { deploy, put, live } = stack();
    await deploy({ arena: 100 });
    let isChanged = false;
    const slow: QueueStore = {
      ...queues,
      put: async (...args) => {
        if (!isChanged) await put('arena', 300);
        isChanged = true;
        return queues.put(...args);
      },
    };
    await expect(deploy({ arena: 200 }, slow)).rejects.toThrow(/Queue arena-\d+/);
    expect(await live('arena')).toBe(300);
  });

  it('is complete when it is repeated after a crash at any write, and undone by a rollback', async () => {
    const from = { arena: 100, duel: 100, gone: 100, kept: 100 };
    const to = { arena: 200, duel: 100, kept: 100, trio: 200 };
    let crashes = 0;
    for (const then of ['repeat', 'roll back'] as const)
      for (const isApplied of [false, true])
        for (let at = 0; ; at++) {
          const { deploy, update, put, live } = stack();
          await deploy(from);
          await put('kept', 300);
          const crash = await update(to, from, crashing(queues, at, isApplied), 'crashed').catch(
            (error) => error,
          );
          if (!(crash instanceof Crash)) break;
          crashes++;
          await (then === 'repeat' ? update(to, from, queues, 'crashed') : update(from, to));
          const names = ['arena', 'duel', 'gone', 'kept', 'trio'];
          const found = await Promise.all(names.map(live));
          expect(found, `${then} after write ${at}`).toEqual(
            then === 'repeat' ? [200, 100, undefined, 300, 200] : [100, 100, 100, 300, undefined],
          );
        }
    expect(crashes).toBeGreaterThan(12);
  });

  it('never reverts a live change, in any order of changes, deployments and crashes', async () => {
    const random = seededRandom(20);
    let deployed = 0;
    let conflicts = 0;
    const runs = sample(25, 60);
    for (let run = 0; run < runs; run++) {
      const { deploy, put, live, ...one } = stack();
      let folder: Folder = {};
      /** Values that were put live and that no file has had. */
      const byHand = new Map<string, number>();
      let next = 1;
      for (let step = 0; step < 12; step++) {
        const name = ['arena', 'duel'][random.integer(2)]!;
        const before = await live(name);
        const action = random.integer(4);
        if (action === 0) {
          byHand.set(name, 1_000 + next);
          await put(name, 1_000 + next++);
        } else if (action === 1 && before !== undefined) {
          byHand.delete(name);
          await one.delete(name);
        } else {
          const changed = { ...folder };
          if (random.integer(4) === 0) delete changed[name];
          else changed[name] = next++;
          const store =
            random.integer(3) === 0 ? crashing(queues, random.integer(3), random.integer(2) === 0) : queues;
          try {
            await deploy(changed, store);
            folder = changed;
            deployed++;
          } catch (error) {
            if (error instanceof RollbackFailed) throw error;
            if (!(error instanceof Crash)) conflicts++;
          }
          for (const [other, value] of byHand) expect(await live(other)).toBe(value);
        }
      }
    }
    expect(deployed).toBeGreaterThan(runs);
    expect(conflicts).toBeGreaterThan(runs);
  });
});
