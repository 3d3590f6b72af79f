import { describe, expect, it } from 'vitest';
import { missingSecrets } from '../../lib/cli/serve-guide.ts';
import { definition } from '../service/definitions.ts';

const arena = definition({
  name: 'arena',
  webhooks: [
    { url: 'https://game.example/a', secret: 'arena/given' },
    { url: 'https://game.example/b', secret: 'arena/missing' },
  ],
  provisioner: { type: 'http', url: 'https://game.example/servers', secret: 'shared/servers' },
});

describe('the secrets that a queue names and that are not given', () => {
  it('are reported with the queue, the place, and the file to add them to', () => {
    expect(missingSecrets([arena], new Set(['arena/given', 'shared/servers']), 'secrets.json')).toEqual([
      'Queue arena names the secret arena/missing (#/webhooks/1/secret), which --secrets does not have: its requests fail. Add "arena/missing" with its value to secrets.json and start again.',
    ]);
  });

  it('are reported with what to start, when there is no file', () => {
    const lines = missingSecrets([arena], new Set(), undefined);
    expect(lines).toHaveLength(3);
    expect(lines.at(-1)).toContain('#/provisioner/secret');
    expect(lines.at(-1)).toContain(
      'Start with --secrets FILE, where FILE is JSON such as {"shared/servers": "VALUE"}.',
    );
  });

  it('are none in a queue that names none', () => {
    expect(missingSecrets([definition({ name: 'duel' })], new Set(), undefined)).toEqual([]);
  });
});
