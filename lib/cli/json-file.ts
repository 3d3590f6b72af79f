import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { getSystemErrorMessage } from 'node:util';
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
    throw new InvalidInput(`cannot read ${path}: ${reasonOf(error)}`);
  }
}

/** Why the system refused an operation, as in "no such file or directory". */
export function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return errno === undefined ? message : getSystemErrorMessage(errno);
}

/**
 * @param comments whether comments and commas after the last item are allowed. @default false
 * @throws InvalidInput with the file and the reason why it cannot be read, or the line and column of invalid JSON
 */
export function readJson(path: string, { comments = false } = {}): unknown {
  const text = readText(path);
  let message = 'nested too deep';
  try {
    if (!comments) return JSON.parse(text);
  } catch (error) {
    message = (error as SyntaxError).message;
  }
  // Loaded only where it is needed, so that commands start faster.
  const { parse, printParseErrorCode }: typeof import('jsonc-parser') = require('jsonc-parser');
  const errors: ParseError[] = [];
  try {
    const value: unknown = parse(text, errors, { disallowComments: !comments, allowTrailingComma: comments });
    if (comments && errors.length === 0 && value !== undefined) return value;
  } catch (error) {
    // The parser calls itself for each level, so deep nesting exhausts the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  if (text.trim() === '') throw new InvalidInput(`${path}:1:1: expected JSON, got an empty file`);
  const [first] = errors;
  if (first === undefined) throw new InvalidInput(`${path}: invalid JSON: ${message}`);
  // The parser names its errors as in `CommaExpected`.
  const name = printParseErrorCode(first.error).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  throw new InvalidInput(`${placeOf(path, text, first.offset)}: invalid JSON:${name}`);
}

/** `FILE:LINE:COLUMN` of an offset, counted from 1, which terminals and editors can open. */
function placeOf(path: string, text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `${path}:${before.length}:${before.at(-1)!.length + 1}`;
}

const require = createRequire(import.meta.url);
