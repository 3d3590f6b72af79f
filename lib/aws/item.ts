import * as z from 'zod';

/** An attribute with JSON. Numbers stay exact, and it takes half the space of DynamoDB's own maps. */
export function jsonOf<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: `Expected JSON: ${(error as Error).message}` });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** A set of strings. It is never empty, because DynamoDB removes the attribute with its last member. */
export const stringSet = z.set(z.string()).transform((members) => [...members].sort());
