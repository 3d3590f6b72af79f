/** Writes docs/asyncapi.json: run `npm run docs:asyncapi`. */
import { writeFileSync } from 'node:fs';
import { asyncApi } from '../../lib/contract/asyncapi.ts';

writeFileSync(
  new URL('../../docs/asyncapi.json', import.meta.url),
  `${JSON.stringify(asyncApi(), undefined, 2)}\n`,
);
