import * as z from 'zod';

/** An attribute that holds JSON: numbers stay exact, and it takes half the room of DynamoDB's own maps. */
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

/** A set of strings, which is never empty: without members the attribute is absent. */
export const stringSet = z.set(z.string()).transform((members) => [...members].sort());
