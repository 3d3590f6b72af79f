/**
 * `sent`: it is on its way. `gone`: there is no such connection, or its client is not connected yet. `failed`: this is unknown;
 * the client may have the message or not.
 */
export type Sent = 'sent' | 'gone' | 'failed';
/** Whether a socket is open. `gone` and `failed` as above. */
export type Found = 'open' | Exclude<Sent, 'sent'>;

/** The open sockets of game clients. */
export interface Sockets {
  send(connectionId: string, message: string): Promise<Sent>;
  /** Looks whether a client is connected. It sends nothing, so it is no message that API Gateway bills. */
  find(connectionId: string): Promise<Found>;
  /** Ends a connection, so that its client connects again. Returns false when this may have failed. */
  close(connectionId: string): Promise<boolean>;
}
