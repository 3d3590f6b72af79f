import { beforeEach, describe, expect, it } from 'vitest';
import { ladderStore } from '../../../lib/aws/ladder-store.ts';
import { queueStore } from '../../../lib/aws/queue-store.ts';
import { type LadderDefinition, ladderDefinition } from '../../../lib/contract/ladder.ts';
import { deployDefinitions } from '../../../lib/service/definitions/deploy-definitions.ts';
import { etagOf } from '../../../lib/service/definitions/etag.ts';
import { parsePut } from '../../../lib/service/definitions/put-definition.ts';
import { listVersions, restoreVersion } from '../../../lib/service/definitions/versions.ts';
import { digestOf } from '../../../lib/service/domain/stored-definition.ts';
import type { DeploymentNote, DeploymentNotes } from '../../../lib/service/ports/deployment-notes.ts';
import type { LadderStore } from '../../../lib/service/ports/ladder-store.ts';
import type { QueueStore } from '../../../lib/service/ports/queue-store.ts';
import { checkedQueues, deleteQueue } from '../../../lib/service/queues/queue-definitions.ts';
import { deleteLadder, ladderDefinitions } from '../../../lib/service/ratings/ladders.ts';
import { startTables } from '../../aws/emulated-tables.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { ANYTHING_GOES, definition, putLadder, putQueue } from '../definitions.ts';

const ladder = (name: string, beta: number): LadderDefinition => ladderDefinition.parse({ name, beta });

/** The betas of the ladders in a folder, and the ladders of the queues beside it. */
interface Project {
  readonly ladders?: Readonly<Record<string, number>>;
  readonly queues?: Readonly<Record<string, string | undefined>>;
}

/** What the properties of the custom resource have of a project. */
const digestsOf = ({ ladders = {}, queues = {} }: Project) => ({
  ladder: mapped(ladders, (name, beta) => digestOf(ladder(name, beta))),
  queue: mapped(queues, (name, used) =>
    digestOf(definition({ name, ...(used !== undefined && { ladder: used }) })),
  ),
});

const filesOf = ({ ladders = {}, queues = {} }: Project) => ({
  // As a studio writes it: what has a default is omitted.
  ladder: mapped(ladders, (name, beta) => JSON.stringify({ name, beta })),
  queue: mapped(queues, (name, used) =>
    JSON.stringify(definition({ name, ...(used !== undefined && { ladder: used }) })),
  ),
});

const mapped = <Value>(values: Readonly<Record<string, Value>>, to: (name: string, value: Value) => string) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(name, value)]));

class Crash extends Error {}

/** The stores, which end the function instead of the write with this number, or after it. */
function crashing<Store extends object>(store: Store, writes: readonly (keyof Store)[], crash: CrashAt) {
  const crashed = { ...store };
  for (const name of writes) {
    const write = store[name] as (...args: unknown[]) => Promise<unknown>;
    Object.assign(crashed, {
      [name]: async (...args: unknown[]) => {
        if (crash.at-- > 0) return write(...args);
        if (crash.isApplied) await write(...args);
        throw new Crash('the function ended');
      },
    });
  }
  return crashed;
}

interface CrashAt {
  at: number;
  readonly isApplied: boolean;
}

let ladders: LadderStore;
let queues: QueueStore;
let noted: DeploymentNote | undefined;
let nowMs = NOW_MS;
let requests = 0;
const deployments: DeploymentNotes = {
  last: async () => noted,
  note: async (note) => {
    noted = note;
  },
};
const at = () => (nowMs += 1_000);

beforeEach(async () => {
  const tables = await startTables('memory');
  ladders = ladderStore(tables.client(), tables.names.queues);
  queues = queueStore(tables.client(), tables.names.queues);
  noted = undefined;
});

const deploy = (to: Project, from?: Project, stores = { ladders, queues }, requestId = `r-${++requests}`) =>
  deployDefinitions(
    {
      kinds: [ladderDefinitions(stores.ladders), checkedQueues(stores.queues, stores.ladders, ANYTHING_GOES)],
      deployments,
    },
    { wanted: filesOf(to), before: from && digestsOf(from), requestId },
    at(),
  );

/** What is live: the betas of ladders, and the ladders of queues. */
async function live(): Promise<Project> {
  const { records } = await queues.list();
  return {
    ladders: Object.fromEntries(
      (await ladders.list()).records.map(({ definition: { name, beta } }) => [name, beta]),
    ),
    queues: Object.fromEntries(
      records.flatMap(({ deletedAt, definition: { name, ladder: used } }) =>
        deletedAt === undefined ? [[name, used]] : [],
      ),
    ),
  };
}

describe('a deployment of ladders', () => {
  it('puts a ladder before the queue that names it, and then only those whose files have changed', async () => {
    const first = { ladders: { ranked: 200, casual: 100 }, queues: { arena: 'ranked' } };
    expect(await deploy(first)).toMatchObject({ put: ['ladder ranked', 'ladder casual', 'queue arena'] });
    await putLadder(ladders, ladder('casual', 150), at(), { by: 'oncall' });
    const second = { ...first, ladders: { ranked: 210, casual: 100 } };
    expect(await deploy(second, first)).toMatchObject({ put: ['ladder ranked'], kept: ['ladder casual'] });
    expect(await live()).toEqual({ ladders: { ranked: 210, casual: 150 }, queues: { arena: 'ranked' } });
    expect(await listVersions(ladderDefinitions(ladders), 'ranked')).toMatchObject([
      { version: 2, changedBy: 'deployment', isDeployed: true },
      { version: 1, changedBy: 'deployment' },
    ]);
  });

  it('fails before any change when a file and its live definition have both changed, and says what to do', async () => {
    const first = { ladders: { ranked: 200 }, queues: { arena: 'ranked' } };
    await deploy(first);
    await putLadder(ladders, ladder('ranked', 300), at(), { by: 'oncall' });
    const second = { ladders: { ranked: 250, casual: 100 }, queues: { arena: 'casual' } };
    await expect(deploy(second, first)).rejects.toThrow(
      /Ladder ranked: its file was changed .* version 2, .*oncall.*GET \/ladders\/ranked.*PUT \/ladders\/ranked.*Nothing was changed\./s,
    );
    expect(await live()).toEqual({ ladders: { ranked: 300 }, queues: { arena: 'ranked' } });
  });

  it('fails before any change when a queue names a ladder without a file, unless there is one', async () => {
    const wanted = { ladders: { casual: 100 }, queues: { arena: 'ranked' } };
    await expect(deploy(wanted)).rejects.toThrow(
      /Queue arena: #\/ladder: Expected the name of a ladder, got ranked.*PUT \/ladders\/ranked.*Nothing was changed\./s,
    );
    expect(await live()).toEqual({ ladders: {}, queues: {} });
    await putLadder(ladders, ladder('ranked', 200), at());
    expect(await deploy(wanted)).toMatchObject({ put: ['ladder casual', 'queue arena'] });
  });

  it('removes a ladder after its queue has left it, and none that a queue still names', async () => {
    const first = { ladders: { ranked: 200 }, queues: { arena: 'ranked' } };
    await deploy(first);
    await putQueue(queues, definition({ name: 'event', ladder: 'ranked' }), at());
    await expect(deploy({ queues: { arena: undefined } }, first)).rejects.toThrow(
      /Ladder ranked: its file was removed, but queue event names it\..*Nothing was changed\./s,
    );
    await deleteQueue(queues, 'event', at());
    expect(await deploy({ queues: { arena: undefined } }, first)).toMatchObject({
      put: ['queue arena'],
      deleted: ['ladder ranked'],
    });
    expect(await live()).toEqual({ ladders: {}, queues: { arena: undefined } });
  });

  it('fails when the queue keeps a live definition that names the removed ladder', async () => {
    const first = { ladders: { ranked: 200 }, queues: { arena: undefined } };
    await deploy(first);
    await putQueue(queues, definition({ name: 'arena', ladder: 'ranked' }), at());
    await expect(deploy({ queues: { arena: undefined } }, first)).rejects.toThrow(/queue arena names it/);
  });

  it.each(['constructor', 'toString'])('takes files of the name %s as any other', async (name) => {
    const [none, one] = [{}, { ladders: { [name]: 200 }, queues: { [name]: name } }];
    expect(await deploy(one, none)).toMatchObject({ put: [`ladder ${name}`, `queue ${name}`] });
    const two = { ...one, ladders: { [name]: 210 } };
    expect(await deploy(two, one)).toMatchObject({ put: [`ladder ${name}`] });
    const left = { ladders: two.ladders };
    expect(await deploy(left, two)).toMatchObject({ deleted: [`queue ${name}`] });
  });

  it('is rolled back without the removal of a ladder that a queue names by then', async () => {
    const first = { queues: { arena: undefined } };
    const second = { ladders: { ranked: 200 }, queues: { arena: 'ranked' } };
    await deploy(first);
    await deploy(second, first);
    await putQueue(queues, definition({ name: 'event', ladder: 'ranked' }), at());
    expect(await deploy(first, second)).toMatchObject({
      put: ['queue arena'],
      deleted: [],
      conflicts: [expect.stringContaining('queue event names it')],
    });
    expect((await live()).ladders).toEqual({ ranked: 200 });
  });

  it('is complete when it is repeated after a crash at any write, and undone by a rollback', async () => {
    const from = { ladders: { ranked: 200, gone: 100 }, queues: { arena: 'ranked', old: 'gone' } };
    const to = { ladders: { ranked: 250, fresh: 300 }, queues: { arena: 'fresh', event: 'ranked' } };
    let crashes = 0;
    for (const then of ['repeat', 'roll back'] as const)
      for (const isApplied of [false, true])
        for (let write = 0; ; write++) {
          const tables = await startTables('memory');
          ladders = ladderStore(tables.client(), tables.names.queues);
          queues = queueStore(tables.client(), tables.names.queues);
          noted = undefined;
          await deploy(from);
          const crash = { at: write, isApplied };
          const stores = {
            ladders: crashing(ladders, ['put', 'keep', 'recordDeployed', 'remove'], crash),
            queues: crashing(queues, ['put', 'keep', 'recordDeployed'], crash),
          };
          const failure = await deploy(to, from, stores, 'crashed').catch((error) => error);
          if (!(failure instanceof Crash)) break;
          crashes++;
          await (then === 'repeat' ? deploy(to, from, { ladders, queues }, 'crashed') : deploy(from, to));
          expect(await live(), `${then} after write ${write}`).toEqual(then === 'repeat' ? to : from);
        }
    expect(crashes).toBeGreaterThan(24);
  });
});

describe('a ladder', () => {
  it('has its last versions, and an earlier one can be restored', async () => {
    for (const beta of [100, 200, 300]) await putLadder(ladders, ladder('ranked', beta), at(), { by: 'ann' });
    const definitions = ladderDefinitions(ladders);
    const versions = async () =>
      (await listVersions(definitions, 'ranked')).map((one) => [one.version, one.definition.beta]);
    expect(await versions()).toEqual([
      [3, 300],
      [2, 200],
      [1, 100],
    ]);
    const restored = await restoreVersion(definitions, 'ranked', 1, at(), { by: 'bob' });
    expect(restored).toMatchObject({
      isChanged: true,
      inForce: { version: 4, changedBy: 'bob', restored: 1, definition: { beta: 100 } },
    });
    expect((await restoreVersion(definitions, 'ranked', 1, at())).isChanged).toBe(false);
    expect((await versions())[0]).toEqual([4, 100]);
    await expect(restoreVersion(definitions, 'ranked', 9, at())).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('GET /ladders/ranked/versions'),
    });
  });

  it('that is created again after its removal has none of the versions before', async () => {
    for (const beta of [100, 200, 300]) await putLadder(ladders, ladder('ranked', beta), at());
    await deleteLadder({ ladders, queues }, 'ranked');
    expect(await ladders.kept('ranked')).toEqual([]);
    await expect(listVersions(ladderDefinitions(ladders), 'ranked')).rejects.toMatchObject({ status: 404 });
    await putLadder(ladders, ladder('ranked', 400), at());
    expect(await listVersions(ladderDefinitions(ladders), 'ranked')).toMatchObject([{ version: 1 }]);
  });

  it('is not replaced when another version is in force than If-Match names', async () => {
    const { etag } = await putLadder(ladders, ladder('ranked', 100), at());
    const next = await putLadder(ladders, ladder('ranked', 200), at(), {}, etag);
    await expect(putLadder(ladders, ladder('ranked', 300), at(), {}, etag)).rejects.toMatchObject({
      status: 412,
      extensions: { etag: next.etag },
    });
    expect(etagOf((await ladders.get('ranked'))!)).toBe(next.etag);
  });

  it('has to exist when a queue that names it is put or restored', async () => {
    const checked = checkedQueues(queues, ladders, ANYTHING_GOES);
    const wanted = definition({ name: 'arena', ladder: 'ranked' });
    const refused = {
      status: 400,
      errors: [{ pointer: '#/ladder', detail: expect.stringContaining('ranked') }],
    };
    await expect(parsePut(checked, 'arena', wanted)).rejects.toMatchObject(refused);
    await putLadder(ladders, ladder('ranked', 100), at());
    expect(await parsePut(checked, 'arena', wanted)).toEqual(wanted);
    await putQueue(queues, wanted, at());
    await putQueue(queues, definition({ name: 'arena' }), at());
    await deleteLadder({ ladders, queues }, 'ranked');
    await expect(restoreVersion(checked, 'arena', 1, at())).rejects.toMatchObject(refused);
  });
});
