import { deflateRawSync, inflateRawSync } from 'node:zlib';
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

/** JSON in a third of its space, for values that are written often: DynamoDB charges each kilobyte. */
export function deflatedJson(value: unknown): Uint8Array {
  return deflateRawSync(JSON.stringify(value));
}

/** An attribute with deflated JSON, or with JSON, as earlier versions stored it. */
export function deflatedJsonOf<T extends z.ZodType>(schema: T) {
  const inflated = z.instanceof(Uint8Array).transform((bytes, context) => {
    try {
      return inflateRawSync(bytes).toString();
    } catch (error) {
      context.addIssue({ code: 'custom', message: `Expected deflated JSON: ${(error as Error).message}` });
      return z.NEVER;
    }
  });
  return z.union([z.string(), inflated]).pipe(jsonOf(schema));
}

/** A set of strings. It is never empty, because DynamoDB removes the attribute with its last member. */
export const stringSet = z.set(z.string()).transform((members) => [...members].sort());
