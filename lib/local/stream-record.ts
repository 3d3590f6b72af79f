/** The records of a table's stream, as DynamoDB returns them and as Lambda passes them to functions. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { REGION } from './local-account.ts';

/** A record as DynamoDB Streams returns it. */
export interface StreamRecord {
  readonly eventName: string;
  readonly dynamodb: {
    readonly ApproximateCreationDateTime: number;
    readonly SequenceNumber: string;
    readonly NewImage?: object;
    readonly OldImage?: object;
  };
}

export type LambdaRecord = ReturnType<typeof recordOf>;

/** DynamoDB creates no record for a write that changes nothing; dynoxide does. */
export function changesSomething({ eventName, dynamodb }: StreamRecord): boolean {
  return eventName !== 'MODIFY' || !isDeepStrictEqual(dynamodb.OldImage, dynamodb.NewImage);
}

/** A record as Lambda passes it to functions. Its event id is globally unique; dynoxide's is unique per table only. */
export function recordOf(record: StreamRecord, streamArn: string, eventSourceARN: string) {
  const identity = `${streamArn} ${record.dynamodb.SequenceNumber}`;
  return {
    ...record,
    eventID: createHash('md5').update(identity).digest('hex'),
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: REGION,
    eventSourceARN,
  };
}

export function sequenceNumberOf({ dynamodb }: LambdaRecord): string {
  return dynamodb.SequenceNumber;
}

export function ageMs({ dynamodb }: LambdaRecord): number {
  return Date.now() - dynamodb.ApproximateCreationDateTime * 1000;
}

export function arrivalOf({ dynamodb }: LambdaRecord): string {
  return new Date(dynamodb.ApproximateCreationDateTime * 1000).toISOString();
}
