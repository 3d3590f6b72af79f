/** `npm run docs:bounds`: writes what the template bounds into docs/reliability.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { builtApp } from '../infra/built-app.ts';
import { withTemplateBounds } from './page.ts';
import { PAGE } from './rows.ts';
import { templateBounds } from './template-bounds.ts';

writeFileSync(PAGE, withTemplateBounds(readFileSync(PAGE, 'utf8'), templateBounds(builtApp().template)));
