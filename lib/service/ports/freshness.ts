/**
 * How new a read has to be. `now`: it has every write that was answered before it. `lately`: it may lack those of the last moment,
 * and takes half the read units.
 */
export type Freshness = 'now' | 'lately';
