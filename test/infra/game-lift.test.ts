import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GameLiftStack } from '../../examples/hosting/gamelift-stack.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { readQueueDefinitions } from '../../lib/infra/definition-folders.ts';
import { localApp } from '../../lib/infra/synthesize.ts';
import { definition } from '../service/definitions.ts';
import { builtApp } from './built-app.ts';
import { functionsOf, resourcesOf, statementsOf } from './resources.ts';
import { synthesized, temporaryFolder } from './synthesized.ts';

const ARN = 'arn:aws:gamelift:eu-central-1:000000000000:gamesessionqueue/arenas';

/** A folder with one queue that has this provisioner. */
function folderWith(provisioner: QueueDefinition['provisioner']): string {
  const dir = temporaryFolder();
  const queue = definition({ name: 'duel', ...(provisioner && { provisioner }) });
  writeFileSync(join(dir, 'duel.json'), JSON.stringify(queue));
  return dir;
}

describe('the template', () => {
  it('has no GameLift resources when no definition and no option names a queue of GameLift', () => {
    const { template } = builtApp();
    expect(functionsOf(template)).not.toHaveProperty('provision-gamelift');
    expect(JSON.stringify(template).replaceAll('GAME_SESSION_QUEUES', '')).not.toMatch(
      /gamelift:|aws\.gamelift/,
    );
  });

  it('lets the function use only the queues that definitions and the option name, and sends it the events of their placements', () => {
    const queuesDir = folderWith({ type: 'gamelift', gameSessionQueue: ARN });
    const { template } = synthesized({ queuesDir, context: { gameSessionQueues: 'more' } });
    const queues = [ARN, { 'Fn::Join': ['', expect.arrayContaining([':gamesessionqueue/more'])] }];
    const rights = statementsOf(template, functionsOf(template)['provision-gamelift']!).filter(({ Action }) =>
      [Action].flat().some((action) => action.startsWith('gamelift:')),
    );
    expect(rights).toEqual([
      { Action: 'gamelift:StartGameSessionPlacement', Effect: 'Allow', Resource: queues },
      {
        Action: [
          'gamelift:DescribeGameSessionPlacement',
          'gamelift:StopGameSessionPlacement',
          'gamelift:TerminateGameSession',
        ],
        Condition: { StringEquals: { 'aws:RequestedRegion': ['eu-central-1', { Ref: 'AWS::Region' }] } },
        Effect: 'Allow',
        Resource: '*',
      },
    ]);
    const [rule] = resourcesOf(template, 'AWS::Events::Rule').filter(({ Properties }) =>
      Properties.EventPattern?.source.includes('aws.gamelift'),
    );
    expect(rule!.Properties.EventBusName).toBeUndefined();
    expect(rule!.Properties.EventPattern).toMatchObject({
      'detail-type': ['GameLift Queue Placement Event'],
      resources: queues,
    });
  });

  it('is refused when a queue of GameLift is neither a name nor an ARN', () => {
    expect(() => synthesized({ context: { gameSessionQueues: 'a queue' } })).toThrow(
      'Expected `gameSessionQueues` to be names or ARNs of GameLift queues, got "a queue".',
    );
  });
});

describe('the examples of hosting', () => {
  const dir = join(import.meta.dirname, '../../examples/hosting');

  it('have valid definitions', () => {
    expect(Object.keys(readQueueDefinitions(dir, {}))).toEqual(['agones-arena', 'gamelift-arena']);
  });

  it('deploy a queue of GameLift whose name the definition uses', () => {
    const app = localApp(temporaryFolder());
    const fleets = ['arn:aws:gamelift:eu-central-1:000000000000:fleet/fleet-1'];
    const stack = new GameLiftStack(app, 'Studio', { fleets, queues: dir });
    const { template } = app.synth().getStackArtifact(stack.artifactId);
    const [queue] = resourcesOf(template, 'AWS::GameLift::GameSessionQueue');
    const start = statementsOf(template, functionsOf(template)['provision-gamelift']!).find(
      ({ Action }) => Action === 'gamelift:StartGameSessionPlacement',
    );
    expect(JSON.stringify(start!.Resource)).toContain(`:gamesessionqueue/${queue!.Properties.Name}`);
  });
});
