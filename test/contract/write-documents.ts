/** Writes docs/openapi.json and docs/asyncapi.json, in which a review sees what a change does to the API: run `npm run docs:api`. */
import { writeFileSync } from 'node:fs';
import { asyncApi } from '../../lib/contract/asyncapi.ts';
import { openApi } from '../../lib/contract/openapi.ts';

for (const [name, document] of Object.entries({ openapi: openApi(), asyncapi: asyncApi() }))
  writeFileSync(
    new URL(`../../docs/${name}.json`, import.meta.url),
    `${JSON.stringify(document, undefined, 2)}\n`,
  );
