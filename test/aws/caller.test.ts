import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { callerOf } from '../../lib/aws/caller.ts';
import type { Scope } from '../../lib/contract/callers.ts';

const caller = (scopes: readonly Scope[], authorizer?: object) =>
  callerOf({ requestContext: { ...(authorizer && { authorizer }) } } as APIGatewayProxyEventV2, scopes);
const token = (claims: object) => ({ jwt: { claims, scopes: null } });

describe('the caller', () => {
  it('is anybody on an open route', () => {
    expect(caller([])).toEqual({ scope: 'anybody' });
    expect(caller([], token({ scope: 'muster/admin' }))).toEqual({ scope: 'anybody' });
  });

  it('of a signed request is trusted, never a player', () => {
    expect(caller(['player', 'backend'], { iam: { accessKey: 'A' } })).toEqual({ scope: 'backend' });
    const userArn = 'arn:aws:sts::000000000000:assumed-role/Operators/ann';
    expect(caller(['admin'], { iam: { userArn } })).toEqual({ scope: 'admin', name: userArn });
  });

  it.each([
    { scope: 'muster/player' },
    { scope: 'openid muster/player profile' },
    { scp: '[muster/player openid]' },
  ])('is the player that the token %j names', (claims) => {
    const found = caller(['player', 'backend'], token({ ...claims, sub: 'ann' }));
    expect(found).toEqual({ scope: 'player', playerId: 'ann' });
  });

  it('is trusted when the token carries that scope beside the player’s', () => {
    const claims = { scope: 'muster/player muster/backend', sub: 'ann' };
    expect(caller(['player', 'backend'], token(claims))).toEqual({ scope: 'backend', name: 'ann' });
    expect(caller(['backend', 'admin'], token({ scope: 'muster/admin' }))).toEqual({ scope: 'admin' });
  });

  it.each<[string, readonly Scope[], object | undefined]>([
    ['without authorization', ['backend'], undefined],
    ['with a token without scopes', ['player', 'backend'], token({ sub: 'ann' })],
    ['with the scope of another route', ['backend'], token({ sub: 'ann', scope: 'muster/player' })],
    ['with a scope that only begins like one', ['player'], token({ sub: 'ann', scope: 'muster/players' })],
    ['with one scope that only contains another', ['backend'], token({ scope: 'x,muster/backend' })],
    ['that is a player without a name', ['player', 'backend'], token({ scope: 'muster/player' })],
    ['that is a player with an empty name', ['player'], token({ scope: 'muster/player', sub: '' })],
    ['that signs a request of players only', ['player'], { iam: { accessKey: 'A' } }],
  ])('%s is rejected', (_, scopes, authorizer) => {
    expect(() => caller(scopes, authorizer)).toThrow(expect.objectContaining({ status: 403 }));
  });
});
