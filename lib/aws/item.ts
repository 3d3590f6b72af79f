import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';

/**
 * An attribute that holds a packed value.
 * @param what the subject of error messages
 * @param unpack throws for a value that is not packed
 */
function unpacked<Packed extends z.ZodType, T extends z.ZodType>(
  packed: Packed,
  schema: T,
  what: string,
  unpack: (value: z.output<Packed>) => unknown,
) {
  return packed
    .transform((value, context): unknown => {
      try {
        return unpack(value);
      } catch (error) {
        context.addIssue({ code: 'custom', message: `Expected ${what}: ${(error as Error).message}` });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** An attribute that holds a value packed as text. */
export function packedAttribute<T extends z.ZodType>(
  schema: T,
  what: string,
  unpack: (text: string) => unknown,
) {
  return unpacked(z.string(), schema, what, unpack);
}

/** An attribute with JSON. Numbers stay exact, and it takes half the space of DynamoDB's own maps. */
export function jsonOf<T extends z.ZodType>(schema: T) {
  return packedAttribute(schema, 'JSON', JSON.parse);
}

/**
 * As {@link jsonOf}, for texts that are read far more often than they change, such as definitions. A function caches the values
 * or errors of the texts read last. The values are shared, so callers must not change them.
 *
 * @param lettersMax the maximum of characters of the cached texts
 */
export function rememberedJsonOf<T extends z.ZodType>(schema: T, lettersMax: number) {
  type Parsed = z.ZodSafeParseResult<z.output<T>>;
  const json = jsonOf(schema);
  const known = new Map<string, Parsed>();
  let letters = 0;
  const parse = (text: string): Parsed => {
    const parsed = known.get(text) ?? json.safeParse(text);
    // The most recently read text is the last one in the map.
    if (!known.delete(text)) letters += text.length;
    known.set(text, parsed);
    while (letters > lettersMax && known.size > 1) {
      const oldest = known.keys().next().value!;
      known.delete(oldest);
      letters -= oldest.length;
    }
    return parsed;
  };
  return z.string().transform((text, context): z.output<T> => {
    const parsed = parse(text);
    if (parsed.success) return parsed.data;
    for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  });
}

/** JSON in a third of its space, for values that are written often: DynamoDB charges each kilobyte. */
export function deflatedJson(value: unknown): Uint8Array {
  return deflateRawSync(JSON.stringify(value));
}

/** An attribute with deflated JSON. */
export function deflatedJsonOf<T extends z.ZodType>(schema: T) {
  const inflate = (bytes: Uint8Array) => JSON.parse(inflateRawSync(bytes).toString());
  return unpacked(z.instanceof(Uint8Array), schema, 'deflated JSON', inflate);
}

/** A set of strings. It is never empty, because DynamoDB removes the attribute with its last member. */
export const stringSet = z.set(z.string()).transform((members) => [...members].sort());

/** A set of numbers, in ascending order. Like a set of strings it is never empty. */
export const numberSet = z.set(z.number()).transform((members) => [...members].sort((a, b) => a - b));
