import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { PATIENCE_MS } from '../patience.ts';
import { launched } from './launched.ts';

/** A browser for tests, and what went wrong in its pages. */
export interface TestBrowser {
  /**
   * Opens a tab. All are of one session, whose process has compiled the script of the pages, but those with a clock: a test moves
   * or stops the time of a whole session.
   */
  page(options?: { readonly clock?: boolean }): Promise<Page>;
  /** Errors, warnings and requests to other machines, of all pages so far. */
  readonly complaints: string[];
}

/** Starts Chromium from npm. It is stopped after the tests of the file. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser = await launched();
  afterAll(() => browser.close());
  const complaints: string[] = [];
  const session = async () => {
    const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce' });
    context.setDefaultTimeout(PATIENCE_MS);
    context.on('page', watch);
    return context;
  };
  const shared = await session();
  return {
    complaints,
    async page({ clock = false } = {}) {
      if (!clock) return shared.newPage();
      const context = await session();
      await context.clock.install();
      return context.newPage();
    },
  };

  function watch(page: Page): void {
    page.on('pageerror', (error) => complaints.push(`error: ${error.stack}`));
    page.on('console', (message) => {
      // The browser reports every response that is not a success; the pages show those themselves.
      if (message.text().startsWith('Failed to load resource')) return;
      if (['error', 'warning'].includes(message.type()))
        complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (new URL(request.url()).hostname !== '127.0.0.1') complaints.push(`request to ${request.url()}`);
    });
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Expects that axe finds no violation of WCAG 2.2 AA or of its best practices on the page. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated by the debugger, which the page's policy does not concern.
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }
    ).axe.run();
    return violations;
  });
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map(({ html }) => html).join('\n  ')}`,
  );
  expect(found).toEqual([]);
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}
