import type { Consumed } from '../../memory-dynamodb/memory-dynamodb.ts';
import { ASSUMPTIONS } from './assumptions.ts';

/** Adds up the capacity units of each partition key, and of each table and index, within each second. */
export class KeyMeter {
  /** The maximum of units that one key of a table or index consumed within a second, by names such as `tickets pool write`. */
  readonly hottest = new Map<string, number>();
  /** The maximum of units of a whole table or index within a second. */
  readonly busiest = new Map<string, number>();
  #second = -1;
  readonly #keys = new Map<string, number>();
  readonly #wholes = new Map<string, number>();
  readonly #nameOf: (table: string) => string;

  constructor(nameOf: (table: string) => string) {
    this.#nameOf = nameOf;
  }

  count(consumed: readonly Consumed[], nowMs: number): void {
    this.#turn(nowMs);
    for (const { table, index = '', key, kind, units } of consumed) {
      const whole = `${this.#nameOf(table)} ${index} ${kind}`;
      add(this.#keys, `${whole} ${key}`, units, this.hottest, whole);
      add(this.#wholes, whole, units, this.busiest, whole);
    }
  }

  /** Whether DynamoDB would throttle a request that consumes this. */
  isOver(consumed: readonly Consumed[], nowMs: number): boolean {
    this.#turn(nowMs);
    return consumed.some(({ table, index = '', key, kind, units }) => {
      const taken = this.#keys.get(`${this.#nameOf(table)} ${index} ${kind} ${key}`) ?? 0;
      return taken + units > ASSUMPTIONS.keyLimits[kind];
    });
  }

  forget(): void {
    this.hottest.clear();
    this.busiest.clear();
  }

  #turn(nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    if (second === this.#second) return;
    this.#second = second;
    this.#keys.clear();
    this.#wholes.clear();
  }
}

function add(
  sums: Map<string, number>,
  name: string,
  units: number,
  highest: Map<string, number>,
  whole: string,
): void {
  const sum = (sums.get(name) ?? 0) + units;
  sums.set(name, sum);
  if (sum > (highest.get(whole) ?? 0)) highest.set(whole, sum);
}
