import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type App, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { cdkJsonContext } from '../../lib/infra/cdk-context.ts';
import { MusterStack, type MusterStackProps } from '../../lib/infra/muster-stack.ts';
import { defaultQueuesDir, stackOptions } from '../../lib/infra/stack-options.ts';
import { localApp, type Template } from '../../lib/infra/synthesize.ts';
import { IS_LONG } from '../long.ts';
import { builtApp } from './built-app.ts';
import { resourcesOf } from './resources.ts';
import { temporaryFolder } from './synthesized.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const MISSING = join(root, 'no-such-folder');

describe('cdk synth', () => {
  const cdk = join(root, 'node_modules/aws-cdk/bin/cdk');

  it('reports an invalid option in one line', async () => {
    const run = promisify(execFile)(process.execPath, [join(root, 'lib/infra/app.ts')], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        CDK_CONTEXT_JSON: '{"stages":"prod"}',
      },
    });
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^Expected `-c` and the context to name options, got `stages`\. Options: .+\n$/,
      ),
    });
  });

  it.runIf(IS_LONG)('creates the template of the local cloud without an AWS account', async () => {
    const outdir = temporaryFolder();
    const home = temporaryFolder();
    await promisify(execFile)(
      process.execPath,
      [cdk, 'synth', '--quiet', '-c', 'push=false', '--output', outdir],
      {
        cwd: root,
        env: {
          PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
          // No credentials and no telemetry of the CLI, so the test needs no network.
          HOME: home,
          CDK_DISABLE_CLI_TELEMETRY: 'true',
          CDK_DISABLE_VERSION_CHECK: 'true',
          AWS_EC2_METADATA_DISABLED: 'true',
        },
      },
    );
    const fromCli: Template = JSON.parse(readFileSync(join(outdir, 'Muster.template.json'), 'utf8'));
    expect(withoutMetadata(fromCli)).toEqual(withoutMetadata(builtApp().template));
  });
});

/** A stack in which cdk-nag finds nothing that is not suppressed with a reason. */
const stackOf = (props: MusterStackProps, app = appWith({})) => {
  const stack = new MusterStack(app, 'Muster', props);
  expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
  return { app, stack };
};

describe('cdk-nag', () => {
  it('finds nothing with other logs than the default, and an address for alarms, whose topic takes those of the account', () => {
    const { app } = stackOf({ alarmEmail: 'on-call@studio.example', accessLog: false, socketLog: true });
    const { template } = app.synth().getStackArtifact('Muster');
    expect(resourcesOf(template, 'AWS::SNS::Subscription')[0]!.Properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'on-call@studio.example',
    });
    const [policy] = resourcesOf(template, 'AWS::SNS::TopicPolicy');
    expect(policy!.Properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    );
    for (const { Properties } of resourcesOf(template, 'AWS::CloudWatch::Alarm'))
      expect(Properties.AlarmActions).toHaveLength(1);
    const [stage] = resourcesOf(template, 'AWS::ApiGatewayV2::Stage');
    expect(stage!.Properties.AccessLogSettings).toBeUndefined();
  });

  it('finds nothing in dev but exactly these suppressions, each with a reason', () => {
    const { stack } = stackOf({ queues: defaultQueuesDir });
    const acknowledged = stack.node
      .findAll()
      .flatMap((construct) =>
        construct.node.metadata
          .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
          .flatMap(({ data }) => Object.entries(data as Record<string, string>)),
      );
    for (const [, reason] of acknowledged) expect(reason.length).toBeGreaterThan(40);
    const connections = (method: string) =>
      `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<MatchmakerPushApi130BDD54>/live/${method}/@connections/*]`;
    const counts = Map.groupBy(acknowledged, ([id]) => id.replace(/^annotation::/i, ''));
    expect(Object.fromEntries([...counts].map(([id, all]) => [id, all.length]))).toEqual({
      'AwsSolutions-APIG1': 1,
      'AwsSolutions-APIG4': 5,
      'AwsSolutions-SMG4': 1,
      'AwsSolutions-SQS3': 2,
      [connections('DELETE')]: 2,
      [connections('GET')]: 1,
      [connections('POST')]: 3,
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:muster/*]': 2,
    });
  });
});

describe('a stage', () => {
  const kept = ['AWS::DynamoDB::GlobalTable', 'AWS::Logs::LogGroup'];

  it('dev deletes everything with the stack', () => {
    const { template } = builtApp('local');
    for (const type of kept) {
      for (const { id, DeletionPolicy } of resourcesOf(template, type))
        expect(DeletionPolicy, id).toBe('Delete');
    }
    for (const { Properties } of resourcesOf(template, 'AWS::DynamoDB::GlobalTable')) {
      expect(Properties.Replicas[0].DeletionProtectionEnabled).toBe(false);
    }
  });

  it('prod keeps tables, logs and queue definitions, and protects the tables and the stack, with nothing for cdk-nag', () => {
    const app = appWith({ stage: 'prod' });
    const { stack } = stackOf(stackOptions(app.node), app);
    const template: Template = app.synth().getStackArtifact(stack.artifactId).template;
    for (const type of [...kept, 'Custom::QueueDefinitions']) {
      for (const { id, DeletionPolicy, UpdateReplacePolicy } of resourcesOf(template, type)) {
        expect([DeletionPolicy, UpdateReplacePolicy], id).toEqual(['Retain', 'Retain']);
      }
    }
    for (const { Properties } of resourcesOf(template, 'AWS::DynamoDB::GlobalTable')) {
      expect(Properties.Replicas[0].DeletionProtectionEnabled).toBe(true);
    }
    for (const { Properties } of resourcesOf(template, 'AWS::Logs::LogGroup')) {
      expect(Properties.RetentionInDays).toBe(90);
    }
    expect(stack.terminationProtection).toBe(true);
    expect(stack.stackName).toBe('muster-prod');
  });
});

describe('options from context', () => {
  it('default to dev, the queues beside the app, and IAM', () => {
    expect(options({})).toMatchObject({ stage: 'dev', queues: defaultQueuesDir, jwt: undefined });
  });

  it('are those of the table in docs/deploy.md', () => {
    const page = readFileSync(join(root, 'docs/deploy.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) +\| .* \| .* \|$/gm)].map(([, names]) => names);
    const described = rows.flatMap((names) => [...names!.matchAll(/\w+/g)].map(([name]) => name));
    const [, known] = /Options: (.*)\./.exec(errorOf(() => options({ misspelt: 1 })))!;
    expect(described.filter((name) => known!.split(', ').includes(name)).sort()).toEqual(
      known!.split(', ').sort(),
    );
  });

  it('are parsed from the strings of the command line', () => {
    const [queues, ladders] = [temporaryFolder(), temporaryFolder()];
    expect(
      options({
        stage: 'prod',
        queues,
        ladders,
        jwtIssuer: 'https://issuer.example',
        jwtAudience: 'game, tools',
        secretsPrefix: 'studio/',
        secretGrants: '{"backend":["arena"]}',
        secretsKeys: 'arn:one, arn:two',
        gameSessionQueues: 'arenas, duels',
        alarmEmail: 'on-call@studio.example',
        accessLog: 'false',
        invocationLog: 'true',
        socketLog: 'true',
        allowedOrigins: 'https://game.example, https://beta.example',
        pollConcurrency: '500',
        searchReserve: '30',
        publishReserve: '10',
        tickConcurrency: '20',
        notifyConcurrency: '50',
        notifySlowConcurrency: '10',
        provisionConcurrency: '60',
        deadlineConcurrency: '15',
        requestsPerSecond: '200',
        requestBurst: 400,
        bucketCapacity: '0.25',
      }),
    ).toEqual({
      stage: 'prod',
      queues,
      ladders,
      jwt: { issuer: 'https://issuer.example', audience: ['game', 'tools'] },
      secretsPrefix: 'studio/',
      secretGrants: { backend: ['arena'] },
      secretsKeys: ['arn:one', 'arn:two'],
      gameSessionQueues: ['arenas', 'duels'],
      alarmEmail: 'on-call@studio.example',
      accessLog: false,
      invocationLog: true,
      socketLog: true,
      allowedOrigins: ['https://game.example', 'https://beta.example'],
      pollConcurrency: 500,
      searchReserve: 30,
      publishReserve: 10,
      tickConcurrency: 20,
      notifyConcurrency: 50,
      notifySlowConcurrency: 10,
      provisionConcurrency: 60,
      deadlineConcurrency: 15,
      requestsPerSecond: 200,
      requestBurst: 400,
      bucketCapacity: 0.25,
    });
  });

  it.each([
    [{ stage: 'production' }, 'Expected `stage` to be "dev" or "prod", got "production"'],
    [{ queues: MISSING }, `Expected \`queues\` to be a folder, got "${MISSING}"`],
    [{ ladders: MISSING }, `Expected \`ladders\` to be a folder, got "${MISSING}"`],
    [{ jwtIssuer: 'https://issuer.example' }, 'got no `jwtAudience`'],
    [{ jwtAudience: 'game' }, 'got no `jwtIssuer`'],
    [{ secretGrants: 'backend' }, 'Expected `secretGrants` to be JSON, got backend.'],
    [{ secretGrants: '{"backend":"arena"}' }, 'Expected `secretGrants` to be lists of queue names'],
    [{ bucketCapacity: 'half' }, 'Expected `bucketCapacity` to be a number, got "half"'],
    [{ invocationLog: 'yes' }, 'Expected `invocationLog` to be true or false, got "yes"'],
    [
      { alarmTopic: 'on-call' },
      'Expected `alarmTopic` to be the ARN of a topic, arn:aws:sns:REGION:ACCOUNT:NAME, got "on-call"',
    ],
    [{ alarmEmail: 'on-call' }, 'Expected `alarmEmail` to be an e-mail address, got "on-call"'],
    [
      { alarmTopic: 'arn:aws:sns:eu-west-1:123456789012:on-call', alarmEmail: 'a@b' },
      'Expected `alarmTopic` or `alarmEmail`, got both',
    ],
    [{ pollConcurency: '70' }, 'got `pollConcurency`. Options: stage, queues,'],
    [{ tickConcurrency: 'many' }, 'Expected `tickConcurrency` to be a whole number, got "many"'],
  ])('are rejected when they are %j', (context, message) => {
    expect(() => options(context)).toThrow(message);
  });
});

function errorOf(failing: () => unknown): string {
  try {
    failing();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

function options(context: Record<string, unknown>) {
  return stackOptions(appWith(context).node);
}

/** An app with the context of cdk.json. */
const appWith = (context: Record<string, unknown>): App =>
  localApp(temporaryFolder(), { ...cdkJsonContext(), ...context });

/** Removes metadata, which holds file paths that depend on how the app was started. */
function withoutMetadata({ Resources, Outputs }: Template) {
  const resources = Object.entries(Resources)
    .filter(([, { Type }]) => Type !== 'AWS::CDK::Metadata')
    .map(([id, { Metadata: _, ...resource }]) => [id, resource]);
  return { Resources: Object.fromEntries(resources), Outputs };
}
