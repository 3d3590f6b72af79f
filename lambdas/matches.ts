import * as z from 'zod';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { httpHandler } from '../lib/aws/http.ts';
import { singleMatchStore } from '../lib/aws/match-store.ts';
import { parseWith } from '../lib/contract/problem.ts';
import { id } from '../lib/contract/ticket.ts';
import { assignMatch, getMatch } from '../lib/service/placement/assign-match.ts';
import { toMatchView } from '../lib/service/placement/stored-match.ts';
import { matchFor } from '../lib/service/players/own-match.ts';

const deps = { matches: singleMatchStore(documentClient(), environment('MATCHES_TABLE')) };

const matchPath = z.object({ matchId: id });

export const handler = httpHandler({
  'GET /matches/{matchId}': async ({ path, caller }) => {
    const { matchId } = parseWith(matchPath, path, 'The path');
    return { status: 200, body: matchFor(caller, toMatchView(await getMatch(deps, matchId))) };
  },
  'PUT /matches/{matchId}/assignment': async ({ path, json }) => {
    const { matchId } = parseWith(matchPath, path, 'The path');
    return { status: 200, body: toMatchView(await assignMatch(deps, matchId, json())) };
  },
});
