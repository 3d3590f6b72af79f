/** Limits of AWS that every stand-in of DynamoDB has to refuse as AWS does; docs/bounds.md has all limits. */
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
