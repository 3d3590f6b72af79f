/** The result of an import for one property of the source. */
export interface ImportLine {
  /** The position in the source. */
  readonly property: string;
  /** `same`: all matches and all waits are what the source permits. */
  readonly outcome: 'same' | 'nearly the same' | 'not possible';
  /** What the reader should know or do, the difference, or the reason why it is not possible. */
  readonly note?: string | undefined;
}

/** The results of an import, in the order of the source. */
export class Report {
  readonly lines: ImportLine[] = [];

  same(property: string, note?: string): void {
    this.lines.push({ property, outcome: 'same', ...(note !== undefined && { note }) });
  }

  nearly(property: string, note: string): void {
    this.lines.push({ property, outcome: 'nearly the same', note });
  }

  impossible(property: string, note: string): void {
    this.lines.push({ property, outcome: 'not possible', note });
  }

  /** The properties of an object that the reference does not have. */
  unknown(at: string, object: object, known: readonly string[]): void {
    for (const key of Object.keys(object)) {
      if (known.includes(key)) continue;
      this.impossible(at === '' ? key : `${at}.${key}`, 'it is not a property of the reference here');
    }
  }
}
