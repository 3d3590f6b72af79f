import * as z from 'zod';

/** The query parameter that limits a list: a whole number from 1. */
export function limitOf(max: number, byDefault: number) {
  return wholeNumber(z.number().int().min(1).max(max))
    .optional()
    .meta({ description: `The maximum of items, 1 to ${max} (default ${byDefault})` });
}

/** A number in a path or a query, where it is text. */
export function wholeNumber(schema: z.ZodNumber) {
  // Number would turn blank text into 0, so blank text stays invalid.
  return z.preprocess(
    (text) => (typeof text === 'string' && text.trim() !== '' ? Number(text) : text),
    schema,
  );
}
