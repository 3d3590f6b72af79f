import type { Attribute, Attributes, AttributeValue, RuledPlayer } from '../rules/types.ts';
import type { RandomSource } from './random.ts';

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
export function drawFacts(
  { attributes, regionWeights }: FactsPopulation,
  random: RandomSource,
): Pick<RuledPlayer, 'attributes' | 'latencyMs'> {
  return {
    ...(attributes && { attributes: mapEntries(attributes, (attribute) => drawValue(attribute, random)) }),
    ...(regionWeights && { latencyMs: drawLatencies(regionWeights, random) }),
  };
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
  random: RandomSource,
): Record<string, number> {
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  let left = random.uniform() * total;
  const home = Object.keys(weights).find((region) => {
    left -= weights[region];
    return left < 0;
  });
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
