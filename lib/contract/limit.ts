import * as z from 'zod';

/** The query parameter that limits a list: a whole number from 1. */
export function limitOf(max: number, byDefault: number) {
  return wholeNumber(wholeIn(1, max))
    .optional()
    .meta({ description: `The maximum of items, 1 to ${max} (default ${byDefault})` });
}

/** A whole number in this range. */
export const wholeIn = (min: number, max: number) => z.number().int().min(min).max(max);

/** A number in a path or a query, where it is text. */
export function wholeNumber(schema: z.ZodNumber) {
  // Number would turn blank text into 0, so blank text stays invalid.
  return z.preprocess(
    (text) => (typeof text === 'string' && text.trim() !== '' ? Number(text) : text),
    schema,
  );
}
