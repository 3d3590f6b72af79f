/** The settings of an event source mapping that reads a stream. */
import { LocalCloudError } from './local-cloud-error.ts';
import { compilePattern, type Pattern, PatternError } from './pattern.ts';
import type { Resource } from './template.ts';

export interface StreamSettings {
  readonly startingPosition: string;
  readonly batchSize: number;
  readonly bisects: boolean;
  readonly retriesMax: number;
  readonly recordAgeMaxMs: number;
  readonly filters: readonly Pattern[];
  readonly failureQueueName: string | undefined;
}

/** @throws LocalCloudError when a filter is malformed or uses an operator without local counterpart */
export function streamSettings({ logicalId, properties }: Resource): StreamSettings {
  const {
    StartingPosition = 'TRIM_HORIZON',
    BatchSize = 100,
    BisectBatchOnFunctionError = false,
    MaximumRetryAttempts = -1,
    MaximumRecordAgeInSeconds = -1,
    FilterCriteria,
    DestinationConfig,
  } = properties;
  const { Filters = [] } = (FilterCriteria ?? {}) as { Filters?: { Pattern: string }[] };
  const destination = (DestinationConfig as { OnFailure?: { Destination?: string } } | undefined)?.OnFailure;
  return {
    startingPosition: String(StartingPosition),
    batchSize: Number(BatchSize),
    bisects: BisectBatchOnFunctionError === true,
    retriesMax: unlessForever(MaximumRetryAttempts),
    recordAgeMaxMs: unlessForever(MaximumRecordAgeInSeconds) * 1000,
    filters: Filters.length === 0 ? [() => true] : Filters.map(({ Pattern }) => filterOf(Pattern, logicalId)),
    failureQueueName: destination?.Destination?.split(':').at(-1),
  };
}

function unlessForever(limit: unknown): number {
  return Number(limit) === -1 ? Number.POSITIVE_INFINITY : Number(limit);
}

function filterOf(pattern: string, logicalId: string): Pattern {
  try {
    return compilePattern(JSON.parse(pattern));
  } catch (error) {
    if (error instanceof PatternError || error instanceof SyntaxError) {
      throw new LocalCloudError(`A filter of ${logicalId}: ${error.message}`);
    }
    throw error;
  }
}
