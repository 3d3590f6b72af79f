/** `npm run bench:simulate -- [--players N]`: the speed of the simulator, as a sentence. */
import { parseArgs } from 'node:util';
import { machine, printMarked } from '../tables/print.ts';
import { measureSpeed } from './simulate-speed.ts';

const SEED = 1;
const { values } = parseArgs({ options: { players: { type: 'string', default: '1000000' } } });
console.log(`${machine()}, seed ${SEED}\n`);
printMarked('speed of the simulator', measureSpeed(Number(values.players), SEED));
