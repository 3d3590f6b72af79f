import { styleText } from 'node:util';
import { Command } from '@commander-js/extra-typings';
import { AwsClient } from 'aws4fetch';
import { secretsOf } from '../contract/secret-grants.ts';
import { Failure } from './failure.ts';
import { jsonFilesOf, readQueueFile } from './input.ts';
import { awsProvider } from './service-credentials.ts';

/** `note`: a deployment works all the same. `unknown`: the credentials may not look. */
type Outcome = 'ok' | 'note' | 'missing' | 'unknown';

/** What was found, and what to do about it. */
export interface Finding {
  readonly outcome: Outcome;
  readonly what: string;
  readonly todo?: string;
}

/** A call of a service of AWS, in its JSON protocol or as GET. */
export interface AwsQuestion {
  readonly service: 'apigateway' | 'lambda' | 'secretsmanager' | 'ssm' | 'sts';
  readonly path?: string;
  /** The operation, for services that have one URL for all. */
  readonly target?: string;
  readonly body?: string;
}

/** Sends a signed request. Rejects only when no response arrives. */
export type AskAws = (question: AwsQuestion) => Promise<{ readonly status: number; readonly body: string }>;

/** What a deployment with default options needs of the account. */
const CONCURRENCY_USUAL = 1_000;
/** AWS requires that this much stays unreserved. */
const CONCURRENCY_UNRESERVED = 100;
const REQUESTS_PER_SECOND = 1_000;
/** The CDK refuses to deploy with an earlier version of its bootstrap stack. */
const BOOTSTRAP_VERSION_MIN = 6;

/** The command `preflight`: looks whether an account is ready for a deployment, and changes nothing. */
export function preflightCommand(): Command {
  return new Command('preflight')
    .summary('check that an AWS account is ready for a deployment')
    .description(
      'Looks whether an account and region are ready for the first deployment, with the credentials of the AWS CLI, and ' +
        'changes nothing. Prints a line for each check, with what to do. The exit status is 1 when something is missing.',
    )
    .requiredOption('--region <region>', 'the region of the deployment')
    .option('--queues <folder>', 'the folder of queue definitions, whose secrets must exist', 'queues')
    .option('--secrets-prefix <prefix>', 'the prefix of secrets, as the option secretsPrefix', 'muster/')
    .action(async ({ region, queues, secretsPrefix }) => {
      const names = secretNames(queues).map((secret) => `${secretsPrefix}${secret}`);
      const findings = await preflight(await signedAsk(region), region, names);
      for (const finding of findings) console.log(lineOf(finding));
      const missing = findings.filter(({ outcome }) => outcome === 'missing').length;
      if (missing > 0) throw new Failure(`${missing} of ${findings.length} checks failed.`);
    });
}

/**
 * Runs all checks side by side.
 * @param secrets full names, with the prefix
 * @returns a finding for each check, in the order of docs/first-deployment.md
 * @throws Failure when no response arrives
 */
export async function preflight(
  askAws: AskAws,
  region: string,
  secrets: readonly string[],
): Promise<Finding[]> {
  const ask: AskAws = (question) =>
    askAws(question).catch(({ message }: Error) => {
      throw new Failure(
        `No response of ${question.service} arrived: ${message}. Check the region and the network.`,
      );
    });
  const account = await ask({ service: 'sts', body: 'Action=GetCallerIdentity&Version=2011-06-15' });
  if (account.status !== 200)
    return [
      finding(
        'missing',
        `the account does not accept the credentials (${account.status})`,
        'Sign in as for the AWS CLI, and check that `aws sts get-caller-identity` works.',
      ),
    ];
  const accountId = /<Account>(\d{12})<\/Account>/.exec(account.body)?.[1] ?? 'ACCOUNT';
  const all = await Promise.all([
    bootstrap(ask, accountId, region),
    concurrency(ask),
    apiAccount(ask, region),
    ...secrets.map((secret) => secretExists(ask, secret, region)),
  ]);
  return [finding('ok', `account ${accountId}, region ${region}`), ...all.flat()];
}

async function bootstrap(ask: AskAws, accountId: string, region: string): Promise<Finding> {
  const answer = await ask({
    service: 'ssm',
    target: 'AmazonSSM.GetParameter',
    body: JSON.stringify({ Name: '/cdk-bootstrap/hnb659fds/version' }),
  });
  const todo = `Run: npx cdk bootstrap aws://${accountId}/${region}`;
  if (/ParameterNotFound/.test(answer.body)) return finding('missing', 'no CDK bootstrap', todo);
  if (answer.status !== 200) return unknown('the CDK bootstrap', 'ssm:GetParameter', answer);
  const version = Number(JSON.parse(answer.body).Parameter?.Value);
  if (version >= BOOTSTRAP_VERSION_MIN) return finding('ok', `CDK bootstrap, version ${version}`);
  return finding('missing', `CDK bootstrap has version ${version}, not ${BOOTSTRAP_VERSION_MIN}`, todo);
}

async function concurrency(ask: AskAws): Promise<Finding> {
  const answer = await ask({ service: 'lambda', path: '/2016-08-19/account-settings/' });
  if (answer.status !== 200) return unknown('the Lambda concurrency', 'lambda:GetAccountSettings', answer);
  const { ConcurrentExecutions: limit } = JSON.parse(answer.body).AccountLimit;
  const what = `Lambda concurrency of the account: ${limit}`;
  if (limit >= CONCURRENCY_USUAL) return finding('ok', what);
  const ask1000 = `Ask AWS for ${CONCURRENCY_USUAL} (Service Quotas, Lambda, "Concurrent executions").`;
  if (limit > CONCURRENCY_UNRESERVED)
    return finding(
      'note',
      what,
      `${ask1000} Until then deploy with tokens and -c pollConcurrency=0, and reserve nothing.`,
    );
  return finding(
    'missing',
    `${what}: ticks, webhooks and the API take turns at so few executions, and none can be reserved`,
    `${ask1000} To try Muster before, pass -c pollConcurrency=0.`,
  );
}

async function apiAccount(ask: AskAws, region: string): Promise<Finding[]> {
  const answer = await ask({ service: 'apigateway', path: '/account' });
  if (answer.status !== 200) return [unknown('the settings of API Gateway', 'apigateway:GET', answer)];
  const { cloudwatchRoleArn, throttleSettings: { rateLimit = 0 } = {} } = JSON.parse(answer.body);
  const rate = `API Gateway: ${rateLimit} requests a second for all APIs of ${region}`;
  const more = `Ask AWS for more (Service Quotas, API Gateway, "Throttle rate"), or pass -c requestsPerSecond=${rateLimit}.`;
  const off = 'Leave the option socketLog off, or see "The log of sockets" in docs/deploy.md.';
  return [
    rateLimit >= REQUESTS_PER_SECOND ? finding('ok', rate) : finding('note', rate, more),
    cloudwatchRoleArn
      ? finding('ok', 'API Gateway has a role for CloudWatch: -c socketLog=true is possible')
      : finding('note', 'API Gateway has no role for CloudWatch', off),
  ];
}

async function secretExists(ask: AskAws, name: string, region: string): Promise<Finding> {
  const answer = await ask({
    service: 'secretsmanager',
    target: 'secretsmanager.DescribeSecret',
    body: JSON.stringify({ SecretId: name }),
  });
  if (/ResourceNotFoundException/.test(answer.body))
    return finding(
      'missing',
      `no secret ${name}, which a queue names: its webhooks and placements would fail`,
      `Run: aws secretsmanager create-secret --region ${region} --name ${name} --secret-string VALUE`,
    );
  if (answer.status !== 200) return unknown(`the secret ${name}`, 'secretsmanager:DescribeSecret', answer);
  if (JSON.parse(answer.body).DeletedDate === undefined) return finding('ok', `secret ${name}`);
  const todo = `Run: aws secretsmanager restore-secret --region ${region} --secret-id ${name}`;
  return finding('missing', `the secret ${name} is being deleted`, todo);
}

function finding(outcome: Outcome, what: string, todo?: string): Finding {
  return { outcome, what, ...(todo !== undefined && { todo }) };
}

function unknown(what: string, right: string, { status, body }: { status: number; body: string }): Finding {
  const code = /"(?:__type|code)":"(?:[^"#]*#)?([^"]+)"/i.exec(body)?.[1];
  const why = [status, code].filter(Boolean).join(', ');
  const todo = `Allow these credentials ${right}, or look in the AWS console.`;
  return finding('unknown', `${what} could not be read (${why})`, todo);
}

/** Asks AWS itself. @throws InvalidInput without credentials */
async function signedAsk(region: string): Promise<AskAws> {
  const credentials = await (await awsProvider())();
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return async ({ service, path = '/', target, body }) => {
    const type = target === undefined ? 'application/x-www-form-urlencoded' : 'application/x-amz-json-1.1';
    const aws = new AwsClient({ ...credentials, region, service });
    const headers = { 'content-type': type, ...(target !== undefined && { 'x-amz-target': target }) };
    const response = await aws.fetch(`https://${service}.${region}.${domain}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      ...(body !== undefined && { body, headers }),
    });
    return { status: response.status, body: await response.text() };
  };
}

/** The secrets that the definitions of a folder name, each once. */
function secretNames(dir: string): string[] {
  const secrets = jsonFilesOf(dir).flatMap((file) => secretsOf(readQueueFile(file)));
  return [...new Set(secrets.map(({ secret }) => secret))].sort();
}

const COLOURS = { ok: 'green', note: 'yellow', missing: 'red', unknown: 'yellow' } as const;

function lineOf({ outcome, what, todo }: Finding): string {
  const word = styleText(COLOURS[outcome], outcome.padEnd(7), { stream: process.stdout });
  return `${word}  ${what}${todo === undefined ? '' : `\n         ${todo}`}`;
}
