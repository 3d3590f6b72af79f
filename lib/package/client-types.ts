/** Writes the types of the client, `lib/client/api-types.ts`, which git does not keep: after `npm ci`, and before each type check. */
import { writeFileSync } from 'node:fs';
import { openApi } from '../contract/openapi.ts';
import { typescriptOf } from './typescript-of.ts';

writeFileSync(
  new URL('../client/api-types.ts', import.meta.url),
  typescriptOf(JSON.parse(JSON.stringify(openApi()))),
);
