import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { muster } from './muster.ts';

/** A stand-in for the service, with a ladder in memory. */
const stored = new Map<string, { mean: number; deviation?: number; matches?: number }>();
const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://service');
  const [, , ladder, , playerId] = pathname.split('/').map(decodeURIComponent);
  const send = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (ladder !== 'ranked')
    return send(404, { title: 'Not found', status: 404, detail: `no ladder ${ladder}` });
  const rating = (id: string) => ({
    playerId: id,
    mean: 1_500,
    deviation: 350,
    matches: 0,
    recent: [],
    ...stored.get(id),
  });
  if (request.method === 'PUT') {
    stored.set(playerId!, JSON.parse(await text(request)));
    return send(200, rating(playerId!));
  }
  return send(200, { ratings: searchParams.get('playerIds')!.split(',').map(rating) });
});

describe('muster ladder', () => {
  let folder: string;
  let url: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ladder-'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  const file = (name: string, lines: readonly string[]) => {
    const path = join(folder, name);
    writeFileSync(path, lines.join('\n'));
    return path;
  };

  it('imports ratings, and exports those of players with a match in the form that it imports', async () => {
    const lines = Array.from({ length: 60 }, (_, at) =>
      JSON.stringify({ playerId: `p@${at}`, mean: 1_400 + at, deviation: 90, matches: 7 }),
    );
    const ratings = file('ratings.jsonl', lines);
    expect(await muster('ladder', 'import', 'ranked', '--ratings', ratings, '--url', url)).toMatchObject({
      status: 0,
      stderr: `ranked: 60 ratings of ${ratings}\n`,
    });
    const players = file('players.txt', ['nobody', ...lines.map((line) => JSON.parse(line).playerId)]);
    const out = join(folder, 'out.jsonl');
    const exported = await muster(
      'ladder',
      'export',
      'ranked',
      '--players',
      players,
      '--out',
      out,
      '--url',
      url,
    );
    expect(exported).toMatchObject({
      status: 0,
      stderr: `${out}: the ratings of 60 of 61 players on ranked\n`,
    });
    expect(readFileSync(out, 'utf8')).toBe(`${lines.join('\n')}\n`);
    const over = ['--players', players, '--out', players, '--url', url];
    expect(await muster('ladder', 'export', 'ranked', ...over)).toMatchObject({
      status: 2,
      stderr: `cannot write ${players}: the command reads it\n`,
    });
  });

  it('sends nothing of a file with an invalid line, and names it', async () => {
    const wrong = file('wrong.jsonl', ['{"playerId":"new","mean":1500}', '{"playerId":"b"}']);
    const { status, stderr } = await muster('ladder', 'import', 'ranked', '--ratings', wrong, '--url', url);
    expect(status).toBe(2);
    expect(stderr).toContain(`${wrong}:2`);
    expect(stored.has('new')).toBe(false);
    const elsewhere = file('elsewhere.jsonl', ['{"playerId":"..","mean":1500}']);
    for (const [ladder, place] of [
      ['ranked', `${elsewhere}:1: #/playerId: `],
      ['..', '<ladder>: #: '],
    ] as const) {
      const run = await muster('ladder', 'import', ladder, '--ratings', elsewhere, '--url', url);
      expect([run.status, run.stderr]).toEqual([2, expect.stringContaining(`${place}Expected 1 to `)]);
    }
  });

  it('says what the service refuses, and what has been done', async () => {
    const one = file('one.jsonl', ['{"playerId":"a","mean":1500}']);
    const { status, stderr } = await muster('ladder', 'import', 'other', '--ratings', one, '--url', url);
    expect(status).toBe(1);
    expect(stderr).toContain('no ladder other. 0 of 1 ratings were put');
  });
});
