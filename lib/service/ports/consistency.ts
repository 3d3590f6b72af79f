/**
 * `strong`: a read returns every write that was acknowledged before it. `eventual`: it may miss writes of the last moment, and
 * takes half the read units.
 */
export type Consistency = 'strong' | 'eventual';
