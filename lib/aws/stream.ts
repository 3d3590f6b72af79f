import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { AnswersChange } from '../service/domain/answers.ts';
import { ifReadable } from '../service/domain/unreadable.ts';
import type { Change } from '../service/events/publish.ts';
import { isAnswers, readinessIn } from './answers.ts';
import { isBackfill } from './backfill-store.ts';
import { logger } from './log.ts';
import { isAbandoned, toMatch } from './match-item.ts';
import { isPlace } from './places.ts';
import { toTicket } from './ticket-item.ts';

/**
 * The changes in stream records. A record that cannot be parsed is logged and skipped, because a retry would fail in the same way
 * and delay the other records of its shard.
 */
export function readableChanges(
  records: readonly DynamoDBRecord[],
): { readonly record: DynamoDBRecord; readonly change: Change }[] {
  return records.flatMap((record) => {
    const change = ifReadable(
      () => toChange(record),
      (error) =>
        logger.error('a change in a stream cannot be parsed and is skipped', {
          eventId: record.eventID,
          error,
        }),
    );
    return change === undefined ? [] : [{ record, change }];
  });
}

/**
 * The change in a stream record of the tickets or the matches table; undefined for a removal, an abandoned match, a backfill, a
 * place and the answers to a match.
 * @throws Unreadable
 */
export function toChange(record: DynamoDBRecord): Change | undefined {
  const { NewImage, OldImage, ApproximateCreationDateTime = 0 } = record.dynamodb ?? {};
  if (NewImage === undefined || record.eventID === undefined) return undefined;
  const after = read(NewImage);
  if (isAbandoned(after) || isBackfill(after) || isPlace(after) || isAnswers(after)) return undefined;
  const before = OldImage && read(OldImage);
  const position = { changeId: record.eventID, atMs: ApproximateCreationDateTime * 1_000 };
  return after.ticketId === undefined
    ? { ...position, table: 'matches', before: before && toMatch(before), after: toMatch(after) }
    : { ...position, table: 'tickets', before: before && toTicket(before), after: toTicket(after) };
}

/** The changes of answers to matches, in stream records of the matches table, after which more players are ready. */
export function answersChanges(records: readonly DynamoDBRecord[]): AnswersChange[] {
  return records.flatMap(({ eventID: changeId, dynamodb }) => {
    const { NewImage, OldImage, ApproximateCreationDateTime = 0 } = dynamodb ?? {};
    const item = NewImage && read(NewImage);
    if (changeId === undefined || item === undefined || !isAnswers(item)) return [];
    const readiness = ifReadable(() => readinessIn(item));
    const { ready: before } = (OldImage && ifReadable(() => readinessIn(read(OldImage)))) ?? { ready: 0 };
    return readiness === undefined || readiness.ready === before
      ? []
      : [{ ...readiness, changeId, before, atMs: ApproximateCreationDateTime * 1_000 }];
  });
}

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;
function read(image: Image): Record<string, unknown> {
  return unmarshall(image as Record<string, AttributeValue>);
}
