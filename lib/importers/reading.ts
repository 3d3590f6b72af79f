/**
 * The input of an import, which records what is read of it. A property that no code reads is not part of the definition, so the
 * report has to name it; no list says which properties there are.
 */

/** A place in the input: an object, a list or a value. */
interface Place {
  /** As in `rules[Near].maxDistance`: an item of a list by its name where it has one, else by its index. */
  readonly path: string;
  readonly value: unknown;
  isRead: boolean;
  /** All that is written below, and by the key with which code reads it. */
  readonly below: readonly Place[];
  readonly byKey: ReadonlyMap<string, Place>;
}

const places = new WeakMap<object, Place>();
const originals = new WeakMap<object, object>();

/**
 * Parsed input whose properties mark their place as read when code gets them. They are read by name: what enumerates the keys
 * of an object, such as a spread or `JSON.stringify`, throws.
 *
 * @param parsed the raw input after its schema, which may leave out keys and convert values
 * @param keyOf the key of `parsed` for a key of the raw input. Of two keys with the same result the last one counts.
 */
export function reading<T extends object>(raw: unknown, parsed: T, keyOf = (key: string) => key): T {
  return recorded(parsed, placeOf(raw, '', keyOf));
}

/** The path of an object that is read, or of a property of it. */
export function pathOf(object: object, key?: string): string {
  const place = places.get(object)!;
  return key === undefined ? place.path : (place.byKey.get(key)?.path ?? joined(place.path, key));
}

/** A value as it was parsed, all of which counts as read. For values that the definition takes over as they are. */
export function whole<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const mark = (place: Place): void => {
    place.isRead = true;
    place.below.forEach(mark);
  };
  const place = places.get(value);
  if (place !== undefined) mark(place);
  return unmarked(value);
}

/** A value as it was parsed. What is read of it is not marked. */
export function unmarked<T>(value: T): T {
  return typeof value === 'object' && value !== null ? ((originals.get(value) as T) ?? value) : value;
}

/** Takes properties that change no match. To read them is all that an import does with them. */
export function immaterial(..._values: readonly unknown[]): void {}

/** The paths that no code has read, in the order of the input; of an object that no code has entered its own. */
export function unreadOf(root: object): string[] {
  // `null` is how JSON writes that a property is not set.
  const unread = ({ below }: Place): string[] =>
    below.flatMap((one) => (one.isRead ? unread(one) : one.value === null ? [] : [one.path]));
  return unread(places.get(root)!);
}

function placeOf(value: unknown, path: string, keyOf: (key: string) => string): Place {
  const byKey = new Map<string, Place>();
  const below: Place[] = [];
  const add = (key: string, place: Place) => {
    below.push(place);
    byKey.set(key, place);
  };
  if (Array.isArray(value)) {
    const names = value.map(nameOf);
    value.forEach((item, i) => {
      const isNamed = names[i] !== undefined && names.indexOf(names[i]) === names.lastIndexOf(names[i]);
      add(String(i), placeOf(item, `${path}[${isNamed ? names[i] : i}]`, keyOf));
    });
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, own] of Object.entries(value)) add(keyOf(key), placeOf(own, joined(path, key), keyOf));
  }
  return { path, value, isRead: false, below, byKey };
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { name, Name, target } = item as Record<string, unknown>;
  return [name, Name, target].find((one) => typeof one === 'string') as string | undefined;
}

function recorded<T extends object>(value: T, place: Place): T {
  const items = new Map<string, unknown>();
  const proxy = new Proxy(value, {
    get(object, key, receiver) {
      const own: unknown = Reflect.get(object, key, receiver);
      const below = typeof key === 'string' && Object.hasOwn(object, key) ? place.byKey.get(key) : undefined;
      if (below === undefined) return own;
      below.isRead = true;
      if (typeof own !== 'object' || own === null) return own;
      if (!items.has(key as string)) items.set(key as string, recorded(own, below));
      return items.get(key as string);
    },
    ownKeys(object) {
      if (Array.isArray(object)) return Reflect.ownKeys(object);
      throw new Error(
        `Expected properties of ${place.path || 'the input'} to be read by name, got a listing`,
      );
    },
  });
  places.set(proxy, place);
  originals.set(proxy, value);
  return proxy;
}
