import { httpHandler } from '../lib/aws/http.ts';
import { openApi, rejectRoute } from '../lib/contract/openapi.ts';

const document = openApi();

export const handler = httpHandler({
  'GET /health': async () => ({ status: 200, body: { status: 'ok' } }),
  'GET /openapi.json': async () => ({ status: 200, body: document }),
  $default: async ({ method, rawPath }) => rejectRoute(document, method, rawPath),
});
