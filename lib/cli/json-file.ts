import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ParseError } from 'jsonc-parser';
import { InvalidInput } from './failure.ts';

/**
 * Reads UTF-8 text. A byte order mark, which some editors write, is not part of the text.
 * @throws InvalidInput with the file and the reason why it cannot be read
 */
export function readText(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    throw new InvalidInput(whyUnreadable(path, error as NodeJS.ErrnoException));
  }
}

/**
 * @param comments whether comments and commas after the last item are allowed. @default false
 * @throws InvalidInput with the file and the reason why it cannot be read, or the line and column of invalid JSON
 */
export function readJson(path: string, { comments = false } = {}): unknown {
  const text = readText(path);
  if (comments) return readJsonWithComments(path, text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidInput(whyNotJson(path, text, error as SyntaxError));
  }
}

function whyUnreadable(path: string, { code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `file not found: ${path}`;
    case 'EISDIR':
      return `expected a file, got a folder: ${path}`;
    case 'EACCES':
    case 'EPERM':
      return `no permission to read the file: ${path}`;
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return `expected text in UTF-8, got other bytes: ${path}`;
    default:
      return `cannot read the file: ${path}: ${message}`;
  }
}

/** Begins with `FILE:LINE:COLUMN`, counted from 1, which terminals and editors can open. */
function whyNotJson(path: string, text: string, { message }: SyntaxError): string {
  if (text.trim() === '') return `${path}:1:1: expected JSON, got an empty file`;
  const [error] = jsonErrors(text);
  if (error === undefined) return `${path}: expected JSON: ${message}`;
  return `${placeOf(path, text, error.offset)}: expected JSON: ${WORDS[error.code] ?? message}`;
}

/** `FILE:LINE:COLUMN` of an offset. */
function placeOf(path: string, text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `${path}:${before.length}:${before.at(-1)!.length + 1}`;
}

/** Loaded only where it is needed, so that commands start faster. */
function jsonc(): typeof import('jsonc-parser') {
  return createRequire(import.meta.url)('jsonc-parser');
}

function readJsonWithComments(path: string, text: string): unknown {
  const { parse, printParseErrorCode } = jsonc();
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined && value !== undefined) return value;
  if (error === undefined) throw new InvalidInput(`${path}:1:1: expected JSON, got an empty file`);
  const code = printParseErrorCode(error.error);
  throw new InvalidInput(`${placeOf(path, text, error.offset)}: expected JSON: ${WORDS[code] ?? code}`);
}

/** The syntax errors with their offsets. The message of `JSON.parse` does not always have an offset. */
function jsonErrors(text: string): { code: string; offset: number }[] {
  const { parse, printParseErrorCode } = jsonc();
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
  } catch (error) {
    // The parser calls itself for each level, so deep nesting exhausts the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  return errors.map(({ error, offset }) => ({ code: printParseErrorCode(error), offset }));
}

const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'text here is not a string, number, true, false or null',
  InvalidNumberFormat: 'a number is malformed',
  PropertyNameExpected: 'a property name in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'there is more text after the end of the value',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  UnexpectedEndOfString: 'a closing double quote is missing',
  UnexpectedEndOfNumber: 'a number is malformed',
  InvalidUnicode: 'a \\u escape needs four hexadecimal digits',
  InvalidEscapeCharacter: 'a backslash is followed by a character that cannot be escaped',
  InvalidCharacter: 'a control character has to be escaped in a string',
};
