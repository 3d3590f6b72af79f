/** The limits of AWS that every DynamoDB stand-in has to enforce. For all limits see docs/bounds.md. */
export const DYNAMODB_LIMITS = {
  /** Of an update, condition or key expression. */
  expressionBytesMax: 4_096,
  itemBytesMax: 400 * 1_024,
  /** A page of a query or scan ends here. */
  pageBytesMax: 1_048_576,
  transactionWritesMax: 100,
  /** Of all items of a transaction together. */
  transactionBytesMax: 4 * 1_048_576,
  batchGetKeysMax: 100,
  partitionKeyBytesMax: 2_048,
  sortKeyBytesMax: 1_024,
} as const;
