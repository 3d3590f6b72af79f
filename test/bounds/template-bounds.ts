import type { Template } from '../../lib/infra/synthesize.ts';
import { functionsOf, resourcesOf, target } from '../infra/resources.ts';

/** What the template bounds, in Markdown: each function with what invokes it, the queues of dead letters, the API and the tables. */
export function templateBounds(template: Template): string {
  return [functionTable(template), '', ...others(template)].join('\n');
}

const HEAD = [
  'function',
  'time limit',
  'memory',
  'invoked by',
  'batch',
  'at once',
  'hidden',
  'receives',
  'kept',
];

/** A row for each source of a function's invocations; functions of the API have none. */
function functionTable(template: Template): string {
  const sources = resourcesOf(template, 'AWS::Lambda::EventSourceMapping');
  const rows = Object.entries(functionsOf(template))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, fn]) => {
      const { Timeout, MemorySize } = fn.Properties;
      const own = [`\`${name}\``, `${Timeout} s`, `${MemorySize} MB`];
      const theirs = sources.filter(({ Properties }) => target(Properties.FunctionName) === fn.id);
      if (theirs.length === 0) return [[...own, 'requests, schedules or deployments', ...'–'.repeat(5)]];
      return theirs.map(({ Properties }) => [...own, ...sourceCells(template, Properties)]);
    });
  const ruler = HEAD.map((_, n) => (n === 0 || n === 3 ? '---' : '---:'));
  return [HEAD, ruler, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

// biome-ignore lint/suspicious/noExplicitAny: the properties of an event source mapping
function sourceCells(template: Template, source: any): string[] {
  const { Type, Properties: from } = template.Resources[target(source.EventSourceArn)]!;
  const batch = String(source.BatchSize);
  if (Type !== 'AWS::SQS::Queue')
    return [
      'a stream',
      batch,
      `${source.ParallelizationFactor ?? 1} for each shard`,
      '–',
      String(1 + source.MaximumRetryAttempts),
      '24 hours',
    ];
  return [
    'a queue',
    batch,
    String(source.ScalingConfig.MaximumConcurrency),
    `${from.VisibilityTimeout} s`,
    from.RedrivePolicy.maxReceiveCount.toLocaleString('en-US'),
    kept(from.MessageRetentionPeriod),
  ];
}

function kept(seconds: number): string {
  return seconds % 86_400 === 0 ? `${seconds / 86_400} days` : `${seconds / 60} minutes`;
}

function others(template: Template): string[] {
  const letters = new Set(
    resourcesOf(template, 'AWS::SQS::Queue')
      .filter(({ Properties }) => Properties.RedrivePolicy === undefined)
      .map(({ Properties }) => kept(Properties.MessageRetentionPeriod)),
  );
  const [stage] = resourcesOf(template, 'AWS::ApiGatewayV2::Stage');
  const { DefaultRouteSettings: routes, RouteSettings: open } = stage!.Properties;
  const openLimits = new Set(
    Object.values<Record<string, number>>(open).map(
      ({ ThrottlingRateLimit, ThrottlingBurstLimit }) =>
        `${ThrottlingRateLimit} (burst ${ThrottlingBurstLimit})`,
    ),
  );
  const logs = new Set(
    resourcesOf(template, 'AWS::Logs::LogGroup').map(({ Properties }) => Properties.RetentionInDays),
  );
  const expiring = resourcesOf(template, 'AWS::DynamoDB::GlobalTable');
  const withExpiry = expiring.filter(
    ({ Properties }) => Properties.TimeToLiveSpecification?.Enabled === true,
  );
  return [
    `- Dead letters are kept for ${[...letters].join(', ')}.`,
    `- The API takes ${routes.ThrottlingRateLimit} requests a second (burst ${routes.ThrottlingBurstLimit}) to each route, ${[...openLimits].join(', ')} to open routes; further ones get 429.`,
    `- Logs of the stage \`dev\` are kept for ${[...logs].join(', ')} days.`,
    `- ${withExpiry.length} of ${expiring.length} tables delete items after their time to live: ${withExpiry.map(({ id }) => nameIn(id)).join(', ')}.`,
  ];
}

/** The word of a logical id that names the table. */
function nameIn(id: string): string {
  return /(Tickets|Matches|Queues|Ranges|Receivers|Ratings)/.exec(id)?.[1]?.toLowerCase() ?? id;
}
