import { ANSWERS, BACKFILL, CONNECTION, MATCH, TICKET } from '../../lib/service/domain/statuses.ts';
import { templateBounds } from '../bounds/template-bounds.ts';
import { builtApp } from '../infra/built-app.ts';
import { drawing, table } from '../service/domain/drawing.ts';
import { areSimilar, bundleSizes } from './bundle-sizes.ts';
import { rightsOf } from './rights.ts';

/** A marked part of a page that follows from the code alone. */
export interface Derived {
  readonly name: string;
  readonly page: string;
  text(): string;
  /** Whether the page need not be written again. @default when both texts are the same */
  isCurrent?(shown: string, now: string): boolean;
}

const ARCHITECTURE = 'docs/architecture.md';
const INTERNALS = 'docs/internals.md';
const DEPLOY = 'docs/deploy.md';

/** `npm run docs:bounds` writes all of them. */
export const DERIVED: readonly Derived[] = [
  {
    name: 'template bounds',
    page: 'docs/bounds.md',
    text: () => templateBounds(builtApp().template),
  },
  { name: 'bundle sizes', page: INTERNALS, text: bundleSizes, isCurrent: areSimilar },
  { name: 'rights of backend', page: DEPLOY, text: () => rightsOf('backend') },
  { name: 'rights of admin', page: DEPLOY, text: () => rightsOf('admin') },
  { name: 'statuses of tickets drawn', page: ARCHITECTURE, text: () => drawing(TICKET) },
  { name: 'statuses of matches drawn', page: ARCHITECTURE, text: () => drawing(MATCH) },
  { name: 'statuses of matches', page: INTERNALS, text: () => table(MATCH) },
  { name: 'statuses of tickets', page: INTERNALS, text: () => table(TICKET) },
  { name: 'statuses of answers', page: INTERNALS, text: () => table(ANSWERS) },
  { name: 'statuses of backfills', page: INTERNALS, text: () => table(BACKFILL) },
  { name: 'statuses of connections', page: INTERNALS, text: () => table(CONNECTION) },
];
