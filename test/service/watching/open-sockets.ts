import type { Sockets } from '../../../lib/service/ports/sockets.ts';

/** Sockets of clients who are connected, and take everything. */
export const OPEN_SOCKETS: Sockets = {
  send: async () => 'sent',
  find: async () => 'open',
  close: async () => true,
};
