import {
  findNodeAtLocation,
  getNodeValue,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';

/** Something wrong in a text, at a line. */
export interface Fault {
  /** From 0. */
  readonly line: number;
  /** The field, as `release.waitCost`; empty for the whole text. */
  readonly field: string;
  readonly detail: string;
}

/** More than any definition has; the parsers, which call themselves for each, overflow at thousands. */
const DEPTH_MAX = 100;

/** Whether a text has more brackets in one another than a parser should be given. Those of its strings count as well. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

/** The JSON value of a text, or the first place that is not JSON. */
export function parsed(text: string): { readonly value: unknown; readonly fault: Fault | undefined } {
  const errors: ParseError[] = [];
  if (isTooDeep(text)) {
    const detail = `Expected at most ${DEPTH_MAX} brackets in one another`;
    return { value: undefined, fault: { line: 0, field: '', detail } };
  }
  const tree = parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first !== undefined || tree === undefined) {
    const detail = first === undefined ? 'Expected JSON, got nothing' : `Expected JSON: ${wordsOf(first)}`;
    return { value: undefined, fault: { line: lineAt(text, first?.offset ?? 0), field: '', detail } };
  }
  return { value: getNodeValue(tree), fault: undefined };
}

/** Places faults beside the fields that their pointers name; at the nearest field around one that does not exist. */
export function faultsAt(
  text: string,
  problems: readonly { readonly pointer: string; readonly detail: string }[],
): Fault[] {
  const tree = parseTree(text);
  return problems.map(({ pointer, detail }) => {
    const path = pathOf(pointer);
    let offset = 0;
    for (let length = path.length; tree !== undefined && length >= 0; length--) {
      const node = length === 0 ? tree : findNodeAtLocation(tree, path.slice(0, length));
      if (node === undefined) continue;
      // The key of a field is on its first line, even if its value is a long list.
      offset = node.parent?.type === 'property' ? node.parent.offset : node.offset;
      break;
    }
    return { line: lineAt(text, offset), field: path.join('.'), detail };
  });
}

/** `#/rules/0/max` as `['rules', 0, 'max']`. */
function pathOf(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length - 1;
}

/** `CommaExpected` as `comma expected`. */
function wordsOf({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}
