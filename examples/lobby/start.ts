/**
 * Starts the lobby against `npx muster serve --secrets examples/lobby/secrets.json`:
 *
 *     npx node examples/lobby/start.ts [URL of Muster] [port]
 *
 * The secret in the file is for this machine only.
 */
import { readFileSync } from 'node:fs';
import { startLobby } from './server.ts';

const [musterUrl = 'http://127.0.0.1:3000', port = '4000'] = process.argv.slice(2);
const secrets = JSON.parse(readFileSync(new URL('./secrets.json', import.meta.url), 'utf8'));
const lobby = await startLobby({ musterUrl, port: Number(port), secret: secrets['lobby/webhooks'] });
console.log(`The lobby is at ${lobby.url}. Open it in ten tabs.`);
