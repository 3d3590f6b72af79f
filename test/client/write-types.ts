/** Writes the types of the client: `npm run client:types`. */
import { writeFileSync } from 'node:fs';
import { openApi } from '../../lib/contract/openapi.ts';
import { typescriptOf } from './typescript-of.ts';

writeFileSync(
  new URL('../../lib/client/api-types.ts', import.meta.url),
  typescriptOf(JSON.parse(JSON.stringify(openApi()))),
);
