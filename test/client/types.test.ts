import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type * as client from '../../lib/client/index.ts';
import type { NewBackfill } from '../../lib/contract/backfill.ts';
import type { WebhookBody } from '../../lib/contract/events.ts';
import type { Assignment, MatchView } from '../../lib/contract/match.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { NewTicket, TicketView } from '../../lib/contract/ticket.ts';

/** Compiles only if values of the first type may be used as the second. */
function fits<A extends B, B>(): [A, B] | undefined {
  return undefined;
}

describe('the types of the client', () => {
  it('describe what the service reads and returns', () => {
    // The compiler checks these lines.
    fits<NewTicket, client.NewTicket>();
    fits<TicketView, client.Ticket>();
    fits<MatchView, client.Match>();
    fits<QueueDefinition, client.QueueDefinition>();
    fits<Assignment, client.Assignment>();
    fits<NewBackfill, client.NewBackfill>();
    fits<WebhookBody['type'], client.WebhookEvent['type']>();
    fits<client.WebhookEvent['type'], WebhookBody['type']>();
    expect(fits()).toBeUndefined();
  });

  it('are all that the client takes from the contract: it needs nothing of Node and bundles to a few kilobytes', async () => {
    const { metafile, outputFiles } = await build({
      entryPoints: ['lib/client/index.ts'],
      bundle: true,
      minify: true,
      write: false,
      platform: 'browser',
      format: 'esm',
      metafile: true,
      logLevel: 'silent',
    });
    const inputs = Object.keys(metafile.inputs).map((path) =>
      path.replace(/^.*node_modules\/(aws4fetch)\/.*$/, '$1'),
    );
    for (const input of inputs) expect(input).toMatch(/^(lib\/client\/|aws4fetch$)/);
    expect(outputFiles[0]!.contents.length).toBeLessThan(23_000);
    expect(outputFiles[0]!.text).not.toMatch(/\bprocess\.|\bBuffer\b|node:/);
  });
});
