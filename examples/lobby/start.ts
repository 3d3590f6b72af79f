/**
 * Starts the lobby against `npx muster serve`:
 *
 *     npx node examples/lobby/start.ts [URL of Muster] [port]
 */
import { startLobby } from './server.ts';

const [musterUrl = 'http://127.0.0.1:3000', port = '4000'] = process.argv.slice(2);
const lobby = await startLobby({ musterUrl, port: Number(port) });
console.log(`The lobby is at ${lobby.url}. Open it in ten tabs.`);
