import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { readyMatch, verifyWebhook, type WebhookEvent, WebhookRejected } from '../../lib/client/index.ts';
import { signed } from '../../lib/service/events/signature.ts';

const SECRET = `whsec_${btoa('a secret of the studio')}`;
const OTHER = `whsec_${btoa('another secret')}`;
const NOW_MS = Date.parse('2026-01-31T12:00:00.000Z');
const BODY = JSON.stringify({
  type: 'MatchFound',
  timestamp: '2026-01-31T12:00:00.000Z',
  data: { match: { matchId: 'ünï-🎮' } },
});
const headers = (secret = SECRET, body = BODY) => signed(secret, 'e-1', body, NOW_MS);

describe('the match of an event', () => {
  const event = (type: string, data: object) => ({ type, timestamp: '', data }) as unknown as WebhookEvent;

  it('is returned from the one event on which its game starts', () => {
    const match = { matchId: 'm-1' };
    expect(readyMatch(event('MatchAssigned', { match, ready: true }))).toBe(match);
    expect(readyMatch(event('MatchAssigned', { match }))).toBeUndefined();
    expect(readyMatch(event('TicketQueued', { ticket: {} }))).toBeUndefined();
  });
});

describe('a webhook', () => {
  it('signed by Muster is returned as its event, by headers of any runtime', async () => {
    const at = { nowMs: NOW_MS };
    const event = await verifyWebhook(SECRET, headers(), BODY, at);
    expect(event).toEqual(JSON.parse(BODY));
    expect(await verifyWebhook(SECRET, new Headers(headers()), new TextEncoder().encode(BODY), at)).toEqual(
      event,
    );
    const upper = Object.fromEntries(
      Object.entries(headers()).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    expect(await verifyWebhook(SECRET, upper, BODY, at)).toEqual(event);
    if (event.type === 'MatchFound') expect(event.data.match.matchId).toBe('ünï-🎮');
  });

  it('is accepted exactly when the library of the scheme accepts it', async () => {
    const given = headers();
    const cases: [headers: Record<string, string>, body: string][] = [
      [given, BODY],
      [given, `${BODY} `],
      [headers(OTHER), BODY],
      [{ ...given, 'webhook-id': 'e-2' }, BODY],
      [{ ...given, 'webhook-timestamp': String(NOW_MS / 1_000 + 1) }, BODY],
      [{ ...given, 'webhook-signature': `v1,AAAA v2,x ${given['webhook-signature']}` }, BODY],
      [{ ...given, 'webhook-signature': given['webhook-signature']!.replace('v1,', 'v2,') }, BODY],
      [{ ...given, 'webhook-signature': 'v1,' }, BODY],
      [{ ...given, 'webhook-signature': 'v1,***' }, BODY],
    ];
    const accepted = await Promise.all(
      cases.map(([given, body]) =>
        verifyWebhook(SECRET, given, body, { nowMs: NOW_MS }).then(
          () => true,
          () => false,
        ),
      ),
    );
    // The library compares with its own clock, so the same content is signed for now.
    const now = Math.floor(Date.now() / 1_000);
    const expected = cases.map(([given, body]) => {
      const shift = Number(given['webhook-timestamp']) - NOW_MS / 1_000;
      const isAltered = given['webhook-signature'] !== headers()['webhook-signature'];
      const resigned = signed(given === cases[2]![0] ? OTHER : SECRET, 'e-1', BODY, now * 1_000);
      const signature = isAltered
        ? given['webhook-signature']!.replaceAll(
            headers()['webhook-signature']!.slice(3),
            resigned['webhook-signature']!.slice(3),
          )
        : resigned['webhook-signature']!;
      try {
        new Webhook(SECRET).verify(body, {
          ...given,
          'webhook-timestamp': String(now + shift),
          'webhook-signature': given === cases[2]![0] ? resigned['webhook-signature']! : signature,
        });
        return true;
      } catch {
        return false;
      }
    });
    expect(accepted).toEqual(expected);
    expect(accepted).toEqual([true, false, false, false, false, true, false, false, false]);
  });

  it('is accepted by any of several secrets, while one replaces another', async () => {
    const at = { nowMs: NOW_MS };
    await verifyWebhook([OTHER, SECRET], headers(), BODY, at);
    await expect(verifyWebhook([OTHER], headers(), BODY, at)).rejects.toThrow(WebhookRejected);
  });

  it.each([
    ['that is too old', { nowMs: NOW_MS + 301_000 }],
    ['from the future', { nowMs: NOW_MS - 301_000 }],
    ['that is older than the caller allows', { nowMs: NOW_MS + 20_000, toleranceSeconds: 10 }],
  ])('%s is rejected', async (_, at) => {
    await expect(verifyWebhook(SECRET, headers(), BODY, at)).rejects.toThrow(WebhookRejected);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'without %s is rejected',
    async (name) => {
      const { [name]: _, ...others } = headers();
      await expect(verifyWebhook(SECRET, others, BODY, { nowMs: NOW_MS })).rejects.toThrow(name);
      const odd = { ...others, [name]: 'soon' };
      await expect(verifyWebhook(SECRET, odd, BODY, { nowMs: NOW_MS })).rejects.toThrow(WebhookRejected);
    },
  );

  it('cannot be verified with a secret of another form', async () => {
    for (const secret of ['', 'whsec_', 'whsec_***'])
      await expect(verifyWebhook(secret, headers(), BODY, { nowMs: NOW_MS })).rejects.toThrow(TypeError);
  });
});
