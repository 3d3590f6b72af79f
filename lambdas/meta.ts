import { httpHandler, ok } from '../lib/aws/http.ts';
import { openApi } from '../lib/contract/openapi.ts';
import { rejectRoute } from '../lib/contract/reject-route.ts';

const document = openApi();

export const handler = httpHandler(
  'meta',
  {
    'GET /health': async () => ok({ status: 'ok' }),
    'GET /openapi.json': async () => ok(document),
  },
  rejectRoute,
);
