/**
 * Writes what is derived from the contract, in which a review sees what a change does to the API: docs/openapi.json,
 * docs/asyncapi.json, the schemas of definitions for editors, and docs/reference.md. Run `npm run docs:api`.
 */
import { writeFileSync } from 'node:fs';
import { asyncApi } from '../../lib/contract/asyncapi.ts';
import { openApi } from '../../lib/contract/openapi.ts';
import { withExamples } from './examples.ts';
import { editorSchemas, referencePage } from './reference.ts';

const documents = {
  'openapi.json': withExamples(openApi()),
  'asyncapi.json': asyncApi(),
  ...editorSchemas(),
};
const docs = new URL('../../docs/', import.meta.url);
for (const [name, document] of Object.entries(documents))
  writeFileSync(new URL(name, docs), `${JSON.stringify(document, undefined, 2)}\n`);
writeFileSync(new URL('reference.md', docs), referencePage());
