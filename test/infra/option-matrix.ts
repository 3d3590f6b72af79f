import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { type App, Stack } from 'aws-cdk-lib/core';
import type { MatchmakerProps } from '../../lib/infra/matchmaker.ts';
import { MusterStack } from '../../lib/infra/muster-stack.ts';
import { defaultQueuesDir } from '../../lib/infra/stack-options.ts';
import type { Stage } from '../../lib/infra/stage-policy.ts';
import { localApp, type Template } from '../../lib/infra/synthesize.ts';

/** A value other than the default for each option. A missing option is a type error here. */
const OPTIONS: {
  [Name in keyof Required<Omit<MatchmakerProps, 'stage'>>]: (
    app: App,
    folder: () => string,
  ) => MatchmakerProps[Name];
} = {
  queues: () => defaultQueuesDir,
  ladders: (_, folder) => {
    const dir = folder();
    writeFileSync(join(dir, 'ranked.json'), '{ "name": "ranked" }');
    return dir;
  },
  code: (_, folder) => {
    const file = join(folder(), 'rules.ts');
    writeFileSync(file, 'export const fair = (): true => true;');
    return file;
  },
  jwt: () => ({ issuer: 'https://issuer.example', audience: ['game', 'tools'] }),
  secretsPrefix: () => 'studio/',
  secretGrants: () => ({ backend: ['arena', 'duel'] }),
  secretsKeys: () => ['arn:aws:kms:us-east-1:000000000000:key/1234abcd-12ab-34cd-56ef-1234567890ab'],
  alarmTopic: (app) =>
    Topic.fromTopicArn(new Stack(app, 'Other'), 'Alarms', 'arn:aws:sns:us-east-1:000000000000:alarms'),
  gameSessionQueues: () => ['arenas', 'arn:aws:gamelift:eu-central-1:000000000000:gamesessionqueue/duels'],
  failedShare: () => 0.5,
  accessLog: () => false,
  invocationLog: () => true,
  // The default: other options have an effect only with it.
  push: () => true,
  pushKey: () => 2,
  socketLog: () => true,
  allowedOrigins: () => ['https://game.example', 'http://localhost:8080'],
  pollConcurrency: () => 500,
  searchReserve: () => 30,
  publishReserve: () => 10,
  tickConcurrency: () => 20,
  notifyConcurrency: () => 50,
  notifySlowConcurrency: () => 10,
  provisionConcurrency: () => 50,
  deadlineConcurrency: () => 10,
  requestsPerSecond: () => 200,
  requestBurst: () => 400,
  bucketCapacity: () => 0.25,
};

/** The names of the options. */
export const OPTION_NAMES = Object.keys(OPTIONS) as (keyof typeof OPTIONS)[];

/**
 * The template of a stage with these options.
 * @param folder makes temporary folders, which the caller removes
 */
export function templateWith(
  stage: Stage,
  names: readonly (keyof typeof OPTIONS)[],
  folder: () => string,
): Template {
  const app = localApp(folder());
  const props = Object.fromEntries(names.map((name) => [name, OPTIONS[name](app, folder)]));
  const stack = new MusterStack(app, 'Muster', { stage, ...props });
  return app.synth().getStackArtifact(stack.artifactId).template;
}
