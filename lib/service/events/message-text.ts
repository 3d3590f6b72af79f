/**
 * JSON of letters that SQS accepts: of those that JSON leaves as they are, it rejects U+FFFE and U+FFFF. The text of such a
 * letter has six bytes instead of three, so sizes are measured on this text.
 */
export function messageText(value: unknown): string {
  return JSON.stringify(value).replace(/[\uFFFE\uFFFF]/g, (letter) =>
    letter === '\uFFFE' ? '\\ufffe' : '\\uffff',
  );
}
