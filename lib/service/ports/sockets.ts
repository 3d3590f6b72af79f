/**
 * `sent`: API Gateway has accepted the message. `gone`: there is no such connection, or its client is not connected yet.
 * `failed`: unknown; the client may have received the message or not.
 */
export type Sent = 'sent' | 'gone' | 'failed';
/** Whether a socket is open. `gone` and `failed` as above. */
export type Found = 'open' | Exclude<Sent, 'sent'>;

/** The open sockets of game clients. */
export interface Sockets {
  send(connectionId: string, message: string): Promise<Sent>;
  /** Checks whether a client is connected. It sends nothing, so API Gateway bills no message. */
  find(connectionId: string): Promise<Found>;
  /** Closes a connection, so that its client connects again. Returns false when this may have failed. */
  close(connectionId: string): Promise<boolean>;
}
