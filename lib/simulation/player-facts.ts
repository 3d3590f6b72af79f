import type { Attribute, Attributes, AttributeValue, NumberAttribute, RuledPlayer } from '../rules/types.ts';
import { drawIndex, type RandomSource } from './random.ts';

/** What the rules of a queue look at in simulated players. */
export interface FactsPopulation {
  /** Each value is drawn evenly from those that the attribute allows. */
  readonly attributes?: Attributes | undefined;
  /** Weights of the region a player lives in, by region. */
  readonly regionWeights?: Readonly<Record<string, number>> | undefined;
}

/** Milliseconds to a player's own region and to others, from the least to the most. */
const NEAR_MS = [15, 60] as const;
const FAR_MS = [60, 240] as const;

/** The range of a number attribute without `min` and `max`, from its default or 0 up. */
const NUMBERS = 100;

/** The attributes and latencies of one player. */
export type Facts = Pick<RuledPlayer, 'attributes' | 'latencyMs'>;

/**
 * The attributes and latencies of a party. Friends live in the same region and choose their lists together.
 * @param spread how much their numbers differ: 0 all equal to the first, 1 as among strangers
 */
export function drawFacts(
  { attributes, regionWeights }: FactsPopulation,
  size: number,
  spread: number,
  random: RandomSource,
): Facts[] {
  const home = regionWeights && Object.keys(regionWeights)[drawIndex(Object.values(regionWeights), random)];
  const first = attributes && mapEntries(attributes, (attribute) => drawValue(attribute, random));
  return Array.from({ length: size }, (_, member): Facts => {
    const values =
      member === 0
        ? first
        : attributes &&
          mapEntries(attributes, (attribute, name) => friendValue(attribute, first![name], spread, random));
    return {
      ...(values && { attributes: values }),
      ...(regionWeights && { latencyMs: drawLatencies(regionWeights, home, random) }),
    };
  });
}

/** The value of a friend: the same list, a number that is near, or a text of their own. */
function friendValue(
  attribute: Attribute,
  first: AttributeValue,
  spread: number,
  random: RandomSource,
): AttributeValue {
  if (attribute.type === 'strings') return first;
  const own = drawValue(attribute, random);
  if (typeof own !== 'number' || typeof first !== 'number') return own;
  const { min = own, max = own } = attribute as NumberAttribute;
  const near = Math.round((1 - spread) * first + spread * own);
  // Rounding may leave limits that are no whole numbers.
  return near < Math.min(min, own, first) || near > Math.max(max, own, first) ? first : near;
}

function drawValue(attribute: Attribute, random: RandomSource): AttributeValue {
  if (attribute.type === 'number') {
    const { min = Math.min(0, attribute.max ?? 0), max = min + NUMBERS } = attribute;
    const from = Math.ceil(min);
    // Whole numbers, where there is one between the limits.
    return from > max ? min : from + random.integer(Math.floor(max) - from + 1);
  }
  const { values } = attribute;
  if (attribute.type === 'string') {
    return values ? values[random.integer(values.length)] : (attribute.default ?? 'any');
  }
  if (!values) return attribute.default ?? ['any'];
  const some = values.filter(() => random.uniform() < 0.5);
  return some.length > 0 ? some : [values[random.integer(values.length)]];
}

function drawLatencies(
  weights: Readonly<Record<string, number>>,
  home: string | undefined,
  random: RandomSource,
): Record<string, number> {
  return mapEntries(weights, (_, region) => {
    const [least, most] = region === home ? NEAR_MS : FAR_MS;
    return Math.round(least + (most - least) * random.uniform());
  });
}

function mapEntries<A, B>(
  record: Readonly<Record<string, A>>,
  to: (value: A, name: string) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value, name)]));
}
