import * as z from 'zod';

/**
 * An attribute that holds a packed value.
 *
 * @param what the subject of error messages
 * @param unpack throws for text that is not packed
 */
export function packedAttribute<T extends z.ZodType>(
  schema: T,
  what: string,
  unpack: (text: string) => unknown,
) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return unpack(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: `Expected ${what}: ${(error as Error).message}` });
        return z.NEVER;
      }
    })
    .pipe(schema);
}
