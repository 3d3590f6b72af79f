import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { Matchmaker, type MatchmakerProps } from '../../lib/infra/matchmaker.ts';
import { temporaryFolder } from './synthesized.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Somebody else's app: no feature flags, another tree, things of its own. */
function studio(props: MatchmakerProps = {}) {
  const app = new App({
    outdir: temporaryFolder(),
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
  });
  const stack = new Stack(app, 'Studio');
  const matchmaker = new Matchmaker(stack, 'Matchmaker', props);
  return { stack, matchmaker, template: () => Template.fromStack(stack) };
}

describe('Matchmaker in another app', () => {
  it('needs no properties', () => {
    const { template } = studio();
    template().resourceCountIs('AWS::Lambda::Function', 12);
    template().resourceCountIs('AWS::DynamoDB::GlobalTable', 3);
    template().resourceCountIs('Custom::QueueDefinitions', 0);
  });

  it('can be there twice', () => {
    const { stack, template } = studio();
    new Matchmaker(stack, 'Second', { secretsPrefix: 'second/' });
    template().resourceCountIs('AWS::ApiGatewayV2::Api', 2);
    template().resourceCountIs('AWS::Events::EventBus', 2);
  });

  it('lets a role call its API, and only that', () => {
    const { stack, matchmaker, template } = studio();
    const backend = new Role(stack, 'Backend', {
      assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com'),
    });
    matchmaker.grantInvoke(backend);
    template().hasResourceProperties('AWS::IAM::Policy', {
      Roles: [stack.resolve(backend.roleName)],
      PolicyDocument: {
        Statement: [
          {
            Action: 'execute-api:Invoke',
            Effect: 'Allow',
            Resource: {
              'Fn::Join': ['', Match.arrayWith([stack.resolve(matchmaker.api.apiId), '/*/*/*'])],
            },
          },
        ],
      },
    });
  });

  it('tells its API, bus and tables to what is built around it', () => {
    const { stack, matchmaker, template } = studio();
    const { Resources } = template().toJSON();
    const typeOf = (value: string) => Resources[stack.resolve(value).Ref].Type;
    expect(typeOf(matchmaker.bus.eventBusName)).toBe('AWS::Events::EventBus');
    expect(Object.values(matchmaker.tables).map(({ tableName }) => typeOf(tableName))).toEqual(
      Array(3).fill('AWS::DynamoDB::GlobalTable'),
    );
    const [api, attribute] = stack.resolve(matchmaker.apiUrl)['Fn::GetAtt'];
    expect([Resources[api].Type, attribute]).toEqual(['AWS::ApiGatewayV2::Api', 'ApiEndpoint']);
  });

  it('tells a topic of each alarm and of its end', () => {
    const app = new App({ outdir: temporaryFolder(), builtinCloudFormationValidation: false });
    const stack = new Stack(app, 'Studio');
    const alarmTopic = new Topic(stack, 'Alarms');
    new Matchmaker(stack, 'Matchmaker', { alarmTopic });
    const alarms = Object.values(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm'));
    expect(alarms).toHaveLength(12);
    for (const { Properties } of alarms) {
      expect(Properties.AlarmActions).toEqual([stack.resolve(alarmTopic.topicArn)]);
      expect(Properties.OKActions).toEqual([stack.resolve(alarmTopic.topicArn)]);
    }
  });

  it('limits how many ticks run at once when asked to', () => {
    studio({ tickConcurrency: 5 })
      .template()
      .hasResourceProperties('AWS::Lambda::EventSourceMapping', {
        BatchSize: 1,
        ScalingConfig: { MaximumConcurrency: 5 },
      });
  });
});

describe('the checkout linked into another project', () => {
  it('is imported by Node as it is', async () => {
    const project = temporaryFolder();
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(root, join(project, 'node_modules/muster'));
    symlinkSync(join(root, 'node_modules/aws-cdk-lib'), join(project, 'node_modules/aws-cdk-lib'));
    writeFileSync(
      join(project, 'app.mjs'),
      `import { App, Stack } from 'aws-cdk-lib';
       import { Matchmaker } from 'muster/lib/infra/matchmaker.ts';
       const app = new App({ outdir: 'cdk.out', builtinCloudFormationValidation: false });
       const stack = new Stack(app, 'Game');
       new Matchmaker(stack, 'Matchmaker', { stage: 'prod' });
       console.log(Object.values(app.synth().getStackByName('Game').template.Resources)
         .filter(({ Type }) => Type === 'AWS::Lambda::Function').length);`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, ['app.mjs'], { cwd: project });
    expect(stdout.trim()).toBe('12');
  }, 60_000);
});

describe('tokens in place of AWS credentials', () => {
  it('close every route that IAM would', () => {
    const { template } = studio({ jwt: { issuer: 'https://issuer.example', audience: ['game'] } });
    template().hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
      JwtConfiguration: { Issuer: 'https://issuer.example', Audience: ['game'] },
    });
    const routes = Object.values(template().findResources('AWS::ApiGatewayV2::Route'));
    const types = routes.map(({ Properties }) => Properties.AuthorizationType);
    expect(types.filter((type) => type === 'JWT')).toHaveLength(12);
    expect(types.filter((type) => type === 'NONE')).toHaveLength(3);
    expect(routes.filter(({ Properties }) => Properties.AuthorizerId)).toHaveLength(12);
  });

  it.each([
    [
      { jwt: { issuer: 'http://issuer.example', audience: ['game'] } },
      'Expected `jwt.issuer` to be an https URL',
    ],
    [
      { jwt: { issuer: 'https://issuer.example', audience: [] } },
      'Expected `jwt.audience` to name at least one',
    ],
    [{ secretsPrefix: '' }, 'Expected `secretsPrefix` to be at least one character'],
  ])('%j is refused', (props, message) => {
    expect(() => studio(props)).toThrow(message);
  });
});

describe('secrets', () => {
  it('are readable under the prefix that was asked for, and no other', () => {
    const { template } = studio({ secretsPrefix: 'studio/matchmaking/' });
    const text = JSON.stringify(template().toJSON());
    expect(text).toContain(':secret:studio/matchmaking/*');
    expect(text).not.toContain(':secret:muster/');
  });
});
