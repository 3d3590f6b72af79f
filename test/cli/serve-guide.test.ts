import { describe, expect, it } from 'vitest';
import { serveGuide } from '../../lib/cli/serve-guide.ts';
import { newTicket } from '../../lib/contract/ticket.ts';
import { definition } from '../service/definitions.ts';

const URL = 'http://127.0.0.1:3000';
const raid = definition({ name: 'raid', teamSize: 3, roles: { tank: 1, damage: 2 } });
const arena = definition({ name: 'arena', teamSize: 5 });

describe('what serve prints below the URL on a terminal', () => {
  it('lists the queues, one request in one line, and how to stop the service', () => {
    const lines = serveGuide(URL, [raid, arena], { dataDir: undefined }).split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/queues +raid \(3 v 3, 1 tank, 2 damage\) · arena \(5 v 5\)$/),
      expect.stringMatching(/try +curl .* http:\/\/127\.0\.0\.1:3000\/queues\/arena\/tickets$/),
      expect.stringMatching(/stop +Ctrl-C; tickets and matches are then deleted, --data DIR keeps them$/),
    ]);
  });

  it('suggests a ticket that the service accepts', () => {
    const body = /-d '(.*)' http/.exec(serveGuide(URL, [arena], { dataDir: undefined }))![1]!;
    expect(newTicket.safeParse(JSON.parse(body)).error).toBeUndefined();
  });

  it('names the folder that keeps the data', () => {
    expect(serveGuide(URL, [arena], { dataDir: '/var/muster' })).toMatch(/matches stay in \/var\/muster$/);
  });

  it('explains how to add a queue when there is none', () => {
    const guide = serveGuide(URL, [], { dataDir: undefined });
    expect(guide).toContain('none yet: PUT http://127.0.0.1:3000/queues/NAME adds one');
    expect(guide).not.toContain('curl');
  });
});
