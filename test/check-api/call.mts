/** Posts tickets with the clients that hey-api and openapi-typescript have generated. Arguments: the address, the queue. */
import createClient from 'openapi-fetch';
import { createTicket } from './hey/index.ts';
import type { paths } from './paths.ts';

const [, , baseUrl = '', queue = ''] = process.argv;
const bodyOf = (name: string) => ({ ticketId: `from-${name}`, players: [{ playerId: name, skill: 1_500 }] });
const path = { queue };
const { POST } = createClient<paths>({ baseUrl });
for (const { data, error } of [
  await createTicket({ baseUrl, path, body: bodyOf('hey-api') }),
  await POST('/queues/{queue}/tickets', { params: { path }, body: bodyOf('openapi-fetch') }),
]) {
  if (data === undefined) throw new Error(JSON.stringify(error));
  console.log(data.status);
}
