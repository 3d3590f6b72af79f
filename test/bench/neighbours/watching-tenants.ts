import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { TicketView } from '../../../lib/contract/ticket.ts';
import { inParallel } from '../../../lib/service/concurrency/in-parallel.ts';
import type { HostileTenant } from './hostile-tenants.ts';
import { settled } from './settled-socket.ts';
import type { Stage } from './stage.ts';
import type { ClientCommand, ClientReply } from './watching-clients.ts';

/** Requests, and connections, that are made at the same time. */
const OPENED_AT_ONCE = 32;
/** Players of a match whose players all watch. */
const TEAM_SIZE = 50;
/*
 * More would fill the two cores that the functions, their emulators and the clients share here, and nowhere else: a frame takes 10 ms of
 * them, a connection 100 ms.
 */
/** Clients that flood frames, and frames of each in a second: eight times what a connection may send. */
const FLOOD = { clients: 4, perSecond: 25 } as const;
/** Clients that connect again and again; connections a second. */
const RECONNECTING = 50;
const CONNECTIONS_PER_SECOND = 4;
/** Watched tickets that change a second while messages are throttled. */
const CHANGES_PER_SECOND = 1;

/** Tenants whose players watch their tickets. @param queue the definition of their queue, without its matches */
export function watchingTenants(queue: QueueDefinition): HostileTenant[] {
  const lonely: QueueDefinition = { ...queue, teamSize: 100, tickSeconds: 60, timeoutSeconds: 3_600 };
  return [
    {
      name: 'watchers who all learn of changes at once',
      async begin(stage) {
        await stage.put({
          ...queue,
          teamSize: TEAM_SIZE,
          timeoutSeconds: 3_600,
          provisioner: { type: 'external', timeoutSeconds: 3_600 },
        });
        const tickets = await postWatched(stage, stage.watchers - (stage.watchers % (2 * TEAM_SIZE)));
        if (tickets.length % (2 * TEAM_SIZE) !== 0)
          throw new Error(`Expected all tickets to be accepted, got ${tickets.length}`);
        const clients = fork(join(import.meta.dirname, 'watching-clients.ts'));
        stage.owns({ stop: () => clients.kill() });
        const ask = async (command: ClientCommand): Promise<ClientReply> => {
          clients.send(command);
          return (await once(clients, 'message'))[0];
        };
        const open = await ask({ open: tickets.map(urlOf) });
        const matchIds = [...new Set(await stage.matchesOf(tickets.map(({ ticketId }) => ticketId)))];
        let isFirst = true;
        stage.loop(1, async () => {
          if (!isFirst) return stage.sleep(1_000);
          isFirst = false;
          await stage.sleep(stage.settleMs);
          const each = (method: string, path: string, body: object) =>
            inParallel(matchIds, OPENED_AT_ONCE, (id) => stage.send(method, `/matches/${id}/${path}`, body));
          await each('PUT', 'assignment', { address: '203.0.113.1', port: 7777 });
          await each('POST', 'end', {});
        });
        return async () => ({ count: await ask('count'), of: `messages to ${open} watchers` });
      },
    },
    {
      name: 'a flood of frames',
      async begin(stage) {
        await stage.put(lonely);
        const tickets = await postWatched(stage, FLOOD.clients);
        const sockets = await inParallel(tickets, OPENED_AT_ONCE, (ticket) => opened(stage, ticket));
        let frames = 0;
        stage.every(1_000 / FLOOD.perSecond, () => {
          for (const socket of sockets)
            if (socket?.readyState === WebSocket.OPEN) {
              socket.send('{"action":"ping"}');
              frames++;
            }
        });
        return () => ({ count: frames, of: 'frames sent' });
      },
    },
    {
      name: 'a storm of reconnects',
      async begin(stage) {
        await stage.put(lonely);
        const tickets = await postWatched(stage, RECONNECTING);
        let connections = 0;
        stage.every(1_000 / CONNECTIONS_PER_SECOND, async () => {
          const socket = await opened(stage, tickets[connections++ % tickets.length]!);
          socket?.terminate();
        });
        return () => ({ count: connections, of: 'connections tried' });
      },
    },
    {
      name: 'throttled `@connections`',
      async begin(stage) {
        await stage.put(lonely);
        let throttled = 0;
        stage.interceptCommand(() => {
          throttled++;
          return { status: 429, body: { message: 'Limit Exceeded' } };
        });
        stage.every(1_000 / CHANGES_PER_SECOND, async () => {
          const [ticket] = await postWatched(stage, 1);
          if (ticket === undefined) return;
          await opened(stage, ticket);
          await stage.send('DELETE', `/tickets/${ticket.ticketId}`);
        });
        return () => ({ count: throttled, of: 'commands throttled' });
      },
    },
  ];
}

type Watched = Pick<TicketView, 'ticketId' | 'watch'>;

async function postWatched(stage: Stage, count: number): Promise<Watched[]> {
  return stage.postTickets(Array.from({ length: count }, () => ({ skill: stage.random.uniform() * 1_000 })));
}

function urlOf({ watch }: Watched): string {
  return `${watch!.url}?token=${Object.values(watch!.tokens)[0]}`;
}

/** The open socket of a ticket's player, which ends with the stage; undefined when it cannot connect. */
async function opened(stage: Stage, ticket: Watched): Promise<WebSocket | undefined> {
  const socket = new WebSocket(urlOf(ticket));
  stage.owns({ stop: () => socket.terminate() });
  await settled(socket);
  return socket.readyState === WebSocket.OPEN ? socket : undefined;
}
