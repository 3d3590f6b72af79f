import { unreadOf } from './reading.ts';

/** The result of an import for one property of the source. */
export interface ImportLine {
  /** The position in the source. */
  readonly property: string;
  /** `same`: all matches and all waits are what the source permits. */
  readonly outcome: 'same' | 'nearly the same' | 'not possible';
  /** What the reader should know or do, the difference, or the reason why it is not possible. */
  readonly note?: string | undefined;
}

type Notes = readonly (string | false | undefined)[];

/** The results of an import, in the order of the source. */
export class Report {
  readonly #lines: ImportLine[] = [];

  get lines(): readonly ImportLine[] {
    return this.#lines;
  }

  same(property: string, ...notes: Notes): void {
    this.#add(property, 'same', notes);
  }

  impossible(property: string, ...notes: Notes): void {
    this.#add(property, 'not possible', notes);
  }

  /** Nearly the same if there is a difference, else the same. */
  compared(property: string, differences: Notes[number] | Notes, ...notes: Notes): void {
    const own = [differences].flat().filter(Boolean);
    if (own.length > 0) this.#add(property, 'nearly the same', own);
    else this.same(property, ...notes);
  }

  /**
   * Names all that no code has read of the input: in the line of the object that is not possible as a whole, else in a line of
   * its own.
   */
  unread(input: object): void {
    for (const path of unreadOf(input)) {
      const at = this.#lines.findIndex(
        ({ property, outcome }) => outcome === 'not possible' && isBelow(path, property),
      );
      if (at === -1) this.impossible(path, 'the import does not read it');
      else this.#lines[at] = withUnread(this.#lines[at]!, path);
    }
  }

  #add(property: string, outcome: ImportLine['outcome'], notes: Notes): void {
    const texts = [...new Set(notes.filter(Boolean))];
    this.#lines.push({ property, outcome, ...(texts.length > 0 && { note: texts.join('; ') }) });
  }
}

function isBelow(path: string, property: string): boolean {
  return path.startsWith(property) && /^[.[]/.test(path.slice(property.length));
}

const NOT_READ = 'not read: ';

function withUnread({ property, outcome, note = '' }: ImportLine, path: string): ImportLine {
  const own = path.slice(property.length).replace(/^\./, '');
  return { property, outcome, note: `${note}${note.includes(NOT_READ) ? ', ' : `; ${NOT_READ}`}${own}` };
}
