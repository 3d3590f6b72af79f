import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { RemovalPolicy } from 'aws-cdk-lib/core';

/** `dev` may be deleted at any time; `prod` holds players' tickets and matches. */
export type Stage = 'dev' | 'prod';

/** How a stage treats persistent resources. */
export interface StagePolicy {
  /** Whether tables and logs are retained when they are removed from the stack or the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
  /** Whether DynamoDB rejects the deletion of a table. */
  readonly deletionProtection: boolean;
  /** How long logs are kept. */
  readonly logRetention: RetentionDays;
  /** Whether Lambda logs the start and the report of every invocation. It always reports those that fail. */
  readonly invocationLog: boolean;
}

/** The policy of a stage: `dev` is destroyed and keeps logs a week; `prod` is retained, protected, and keeps logs three months. */
export function stagePolicy(stage: Stage, { invocationLog = false } = {}): StagePolicy {
  return { ...policies[stage], invocationLog };
}

/** Parses a stage. Throws when it is neither `dev` nor `prod`, so that a misspelt `prod` is never destroyed. */
export function parseStage(value: unknown): Stage {
  if (value === 'dev' || value === 'prod') return value;
  throw new Error(
    `Expected \`stage\` to be "dev" or "prod", got ${JSON.stringify(value)} (${typeof value}). Pass \`-c stage=dev\` or \`-c stage=prod\`.`,
  );
}

const policies: Readonly<Record<Stage, Omit<StagePolicy, 'invocationLog'>>> = {
  dev: {
    removalPolicy: RemovalPolicy.DESTROY,
    deletionProtection: false,
    logRetention: RetentionDays.ONE_WEEK,
  },
  prod: {
    removalPolicy: RemovalPolicy.RETAIN,
    deletionProtection: true,
    logRetention: RetentionDays.THREE_MONTHS,
  },
};
