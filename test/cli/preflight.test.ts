import { describe, expect, it } from 'vitest';
import { type AskAws, type Finding, preflight } from '../../lib/cli/preflight.ts';

/** Answers of a ready account, by service. */
const READY = {
  sts: {
    status: 200,
    body: '<GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult>',
  },
  ssm: { status: 200, body: '{"Parameter":{"Name":"/cdk-bootstrap/hnb659fds/version","Value":"27"}}' },
  lambda: { status: 200, body: '{"AccountLimit":{"ConcurrentExecutions":1000},"AccountUsage":{}}' },
  apigateway: {
    status: 200,
    body: '{"cloudwatchRoleArn":"arn:aws:iam::123456789012:role/logs","throttleSettings":{"rateLimit":10000,"burstLimit":5000}}',
  },
  secretsmanager: { status: 200, body: '{"Name":"muster/arena/hook"}' },
};
type Answers = Partial<Record<keyof typeof READY, { status: number; body: string }>>;

const DENIED = { status: 400, body: '{"__type":"AccessDeniedException","Message":"no"}' };

/** The findings that are not ok. */
async function faults(answers: Answers): Promise<Finding[]> {
  const ask: AskAws = async ({ service }) => ({ ...READY, ...answers })[service];
  const findings = await preflight(ask, 'eu-central-1', ['muster/arena/hook']);
  return findings.filter(({ outcome }) => outcome !== 'ok');
}

const json = (body: object, status = 200) => ({ status, body: JSON.stringify(body) });

describe('muster preflight', () => {
  it('asks each service once, for what it needs, and finds nothing in a ready account', async () => {
    const asked: unknown[] = [];
    const ask: AskAws = async (question) => {
      asked.push([question.service, question.target ?? question.path ?? question.body]);
      return READY[question.service];
    };
    const findings = await preflight(ask, 'eu-central-1', ['muster/arena/hook']);
    expect(findings.map(({ outcome }) => outcome)).toEqual(Array(6).fill('ok'));
    expect(findings[0]!.what).toBe('account 123456789012, region eu-central-1');
    expect(asked).toEqual([
      ['sts', 'Action=GetCallerIdentity&Version=2011-06-15'],
      ['ssm', 'AmazonSSM.GetParameter'],
      ['lambda', '/2016-08-19/account-settings/'],
      ['apigateway', '/account'],
      ['secretsmanager', 'secretsmanager.DescribeSecret'],
    ]);
  });

  it.each<[what: string, answers: Answers, outcome: Finding['outcome'], found: RegExp, todo: RegExp]>([
    [
      'an account that is not bootstrapped',
      { ssm: json({ __type: 'ParameterNotFound' }, 400) },
      'missing',
      /no CDK bootstrap/,
      /npx cdk bootstrap aws:\/\/123456789012\/eu-central-1/,
    ],
    [
      'an old bootstrap',
      { ssm: json({ Parameter: { Value: '4' } }) },
      'missing',
      /version 4, not 6/,
      /npx cdk bootstrap/,
    ],
    [
      'the Lambda concurrency of a new account',
      { lambda: json({ AccountLimit: { ConcurrentExecutions: 10 } }) },
      'missing',
      /concurrency of the account: 10: .*none can be reserved/,
      /Ask AWS for 1000 .*-c pollConcurrency=0/,
    ],
    [
      'a Lambda concurrency below the usual one',
      { lambda: json({ AccountLimit: { ConcurrentExecutions: 400 } }) },
      'note',
      /: 400$/,
      /-c pollConcurrency=0, and reserve nothing/,
    ],
    [
      'a low limit of API Gateway',
      { apigateway: json({ cloudwatchRoleArn: 'arn', throttleSettings: { rateLimit: 500 } }) },
      'note',
      /500 requests a second/,
      /-c requestsPerSecond=500/,
    ],
    [
      'API Gateway without a role for CloudWatch',
      { apigateway: json({ throttleSettings: { rateLimit: 10_000 } }) },
      'note',
      /no role for CloudWatch/,
      /Leave the option socketLog off/,
    ],
    [
      'a secret that does not exist',
      { secretsmanager: json({ __type: 'ResourceNotFoundException' }, 400) },
      'missing',
      /no secret muster\/arena\/hook/,
      /create-secret --region eu-central-1 --name muster\/arena\/hook/,
    ],
    [
      'a secret that is being deleted',
      { secretsmanager: json({ DeletedDate: 1 }) },
      'missing',
      /being deleted/,
      /restore-secret --region eu-central-1 --secret-id muster\/arena\/hook/,
    ],
    ['credentials that are refused', { sts: { status: 403, body: '' } }, 'missing', /\(403\)/, /Sign in/],
    ['no right to read the bootstrap', { ssm: DENIED }, 'unknown', /\(400, AccessDenied/, /ssm:GetParameter/],
    ['no right to read Lambda', { lambda: DENIED }, 'unknown', /Lambda/, /lambda:GetAccountSettings/],
    ['no right to read API Gateway', { apigateway: DENIED }, 'unknown', /API Gateway/, /apigateway:GET/],
    [
      'no right to describe secrets',
      { secretsmanager: DENIED },
      'unknown',
      /muster\/arena\/hook/,
      /secretsmanager:DescribeSecret/,
    ],
  ])('reports %s, and what to do', async (_, answers, outcome, found, todo) => {
    const [fault, ...others] = await faults(answers);
    expect(others).toEqual([]);
    expect(fault).toMatchObject({
      outcome,
      what: expect.stringMatching(found),
      todo: expect.stringMatching(todo),
    });
  });

  it('names the service that does not respond', async () => {
    const ask: AskAws = () => Promise.reject(new Error('getaddrinfo ENOTFOUND'));
    await expect(preflight(ask, 'eu-centrl-1', [])).rejects.toThrow(
      'No response of sts arrived: getaddrinfo ENOTFOUND. Check the region and the network.',
    );
  });
});
