import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MusterStack } from '../../lib/infra/muster-stack.ts';
import { localApp, type Template } from '../../lib/infra/synthesize.ts';
import { definition } from '../service/definitions.ts';
import { builtApp } from './built-app.ts';
import { resourcesOf, target } from './resources.ts';
import { synthesized, temporaryFolder } from './synthesized.ts';

const templates = new Map<string, Template>();
/** The template with these options, synthesized once. */
function stackWith(props: { push?: boolean; pushKey?: number; socketLog?: boolean }): Template {
  const key = JSON.stringify(props);
  const template = templates.get(key) ?? synthesizedWith(props);
  templates.set(key, template);
  return template;
}

/** In one template with a log, because each takes a second to synthesize. */
const THIRD_KEY = { pushKey: 3, socketLog: true };

function synthesizedWith(props: object): Template {
  const app = localApp(temporaryFolder());
  const stack = new MusterStack(app, 'Muster', props);
  return app.synth().getStackArtifact(stack.artifactId).template;
}

describe('the option push', () => {
  it('is on by default; without it the template has nothing of it', () => {
    const [on, off] = [JSON.stringify(stackWith({})), JSON.stringify(stackWith({ push: false }))];
    for (const word of [
      'WEBSOCKET',
      'CONNECTIONS_TABLE',
      'SOCKETS_URL',
      'PLAYER_KEYS',
      'AWS::SecretsManager',
    ]) {
      expect(on).toContain(word);
      expect(off).not.toContain(word);
    }
  });

  it('adds resources, and changes only what tickets pass and who asks players', () => {
    const [off, on] = [stackWith({ push: false }), stackWith({})];
    const changed = Object.keys(off.Resources).filter(
      (id) => JSON.stringify(off.Resources[id]) !== JSON.stringify(on.Resources[id]),
    );
    const kinds = changed.map((id) => `${id.replace(/[0-9A-F]{8}$/, '')}`);
    expect(kinds.sort()).toEqual([
      'MatchmakerIntakeEnqueue',
      'MatchmakerIntakeEnqueueRoleDefaultPolicy',
      'MatchmakerIntakeQueues',
      'MatchmakerIntakeQueuesRoleDefaultPolicy',
      'MatchmakerObservabilityDashboard',
      // It asks players whose ping is missing.
      'MatchmakerTick',
      'MatchmakerTickTickRoleDefaultPolicy',
    ]);
  });

  it('logs sockets only with `socketLog`: a new account refuses a WebSocket stage with a log', () => {
    const logOf = (props: Parameters<typeof stackWith>[0]) =>
      resourcesOf(stackWith(props), 'AWS::ApiGatewayV2::Stage').find(
        ({ Properties }) => Properties.StageName === 'live',
      )!.Properties.AccessLogSettings;
    expect(logOf({})).toBeUndefined();
    expect(logOf(THIRD_KEY).Format).toContain('$context.routeKey');
  });

  const streamReaders = () =>
    resourcesOf(stackWith({}), 'AWS::Lambda::EventSourceMapping').filter(
      ({ Properties }) => Properties.StartingPosition !== undefined,
    );

  it('reads each stream from its oldest record: those before Lambda begins to read are missed otherwise', () => {
    const positions = streamReaders().map(({ Properties }) => Properties.StartingPosition);
    expect(positions).toEqual(positions.map(() => 'TRIM_HORIZON'));
    expect(positions).toHaveLength(5);
  });

  it('reads each stream beside one other function, as many as AWS lets read a shard', () => {
    const counts = new Map<string, number>();
    for (const { Properties } of streamReaders()) {
      const stream = target(Properties.EventSourceArn);
      counts.set(stream, (counts.get(stream) ?? 0) + 1);
    }
    expect([...counts.values()].sort()).toEqual([1, 2, 2]);
  });

  it('rotates its key by a second one', () => {
    const keysOf = (props: Parameters<typeof stackWith>[0]) => {
      const template = stackWith(props);
      const secrets = resourcesOf(template, 'AWS::SecretsManager::Secret').map(({ id }) => id);
      const { PLAYER_KEYS } = resourcesOf(template, 'AWS::Lambda::Function').find(
        ({ Properties }) => Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME === 'authorize',
      )!.Properties.Environment.Variables;
      const text = PLAYER_KEYS['Fn::Join'][1].map((part: unknown) =>
        typeof part === 'string' ? part : target(part),
      );
      return { secrets, keys: JSON.parse(text.join('')) as { keyId: string; secretArn: string }[] };
    };
    const [one, two, three] = [keysOf({}), keysOf({ pushKey: 2 }), keysOf(THIRD_KEY)];
    expect(one.keys.map(({ keyId }) => keyId)).toEqual(['1']);
    expect(two.keys.map(({ keyId }) => keyId)).toEqual(['2', '1']);
    expect(three.keys.map(({ keyId }) => keyId)).toEqual(['3', '2']);
    // The same number is the same secret, so that tokens stay valid.
    expect(two.keys[1]).toEqual(one.keys[0]);
    expect(three.keys[1]).toEqual(two.keys[0]);
    expect(two.secrets).toHaveLength(2);
  });

  it('is required by definitions that expect every player to connect', () => {
    const queues = temporaryFolder();
    const duel = { ...definition({ name: 'duel' }), presence: { graceSeconds: 15, required: true } };
    writeFileSync(join(queues, 'duel.json'), JSON.stringify(duel));
    expect(() => synthesized({ queuesDir: queues, context: { push: 'false' } })).toThrow(
      /duel\.json is not valid: #\/presence\/required: .* switch the option push on/,
    );
  });

  it('rejects a key that is no whole number', () => {
    expect(() => stackWith({ push: true, pushKey: 0 })).toThrow(
      'Expected `pushKey` to be a whole number from 1 and up, got 0.',
    );
  });

  it('is an option of the synthesis', () => {
    expect(builtApp('local').template.Outputs).toHaveProperty('SocketUrl');
    expect(builtApp('plain').template.Outputs).not.toHaveProperty('SocketUrl');
  });
});
