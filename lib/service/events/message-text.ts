/**
 * JSON that SQS accepts. SQS rejects U+FFFE and U+FFFF, which JSON allows, so these are escaped. An escaped letter has six bytes
 * instead of three, so sizes are measured on this text.
 */
export function messageText(value: unknown): string {
  return JSON.stringify(value).replace(/[\uFFFE\uFFFF]/g, (letter) =>
    letter === '\uFFFE' ? '\\ufffe' : '\\uffff',
  );
}
