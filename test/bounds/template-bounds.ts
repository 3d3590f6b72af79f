import type { Template } from '../../lib/infra/synthesize.ts';
import { functionsOf, resourcesOf, target } from '../infra/resources.ts';

/** What the template bounds, in Markdown: each function with what invokes it, the queues of dead letters, the API and the tables. */
export function templateBounds(template: Template): string {
  return [functionTable(template), '', directly(template), ...others(template)].join('\n');
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

/** A row for each source of a function's invocations. */
function functionTable(template: Template): string {
  const rows = functionsIn(template).flatMap(({ name, limits, sources }) =>
    sources.map((source) => [name, ...limits, ...sourceCells(template, source)]),
  );
  const ruler = HEAD.map((_, n) => (n === 0 || n === 3 ? '---' : '---:'));
  return [HEAD, ruler, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The functions that have no source. */
function directly(template: Template): string {
  const others = functionsIn(template).filter(({ sources }) => sources.length === 0);
  const listed = others.map(({ name, limits }) => `${name} ${limits.join(', ')}`);
  return `- Invoked by requests, schedules or deployments: ${listed.join('; ')}.`;
}

function functionsIn(template: Template) {
  const all = resourcesOf(template, 'AWS::Lambda::EventSourceMapping');
  return Object.entries(functionsOf(template))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { id, Properties: fn }]) => ({
      name: `\`${name}\``,
      limits: [`${fn.Timeout} s`, `${fn.MemorySize} MB`],
      sources: all.map(({ Properties }) => Properties).filter((one) => target(one.FunctionName) === id),
    }));
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
