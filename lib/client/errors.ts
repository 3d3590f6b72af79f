import type { Problem, Ticket } from './api-types.ts';

/**
 * The service has rejected a request. `status` is the HTTP status, and `problem` has the details: with status 400, the invalid
 * fields.
 */
export class MusterProblem extends Error {
  override readonly name = 'MusterProblem';
  /** The HTTP status. 401, 403 and most of 429 come from API Gateway, which sends no further details. */
  readonly status: number;
  readonly problem: Problem;
  /** The method and path of the request. */
  readonly request: string;
  /** The id of the request in the service's logs, if there is one. */
  readonly requestId: string | undefined;

  constructor(request: string, problem: Problem, requestId: string | undefined) {
    super(`${request}: ${problem.detail ?? problem.title}`);
    this.request = request;
    this.status = problem.status;
    this.problem = problem;
    this.requestId = requestId;
  }
}

/** No response arrived, after every retry. The request may have been processed; it is safe to repeat. */
export class MusterUnreachable extends Error {
  override readonly name = 'MusterUnreachable';
  readonly request: string;
  /** The reason that the runtime reports, such as `ECONNREFUSED`. */
  readonly reason: string;

  constructor(request: string, cause: unknown) {
    const reason = reasonOf(cause);
    super(`${request}: no service responds (${reason})`, { cause });
    this.request = request;
    this.reason = reason;
  }
}

/** The response is not one of Muster: check the URL. */
export class UnexpectedResponse extends Error {
  override readonly name = 'UnexpectedResponse';
  readonly request: string;
  readonly status: number;

  constructor(request: string, status: number, what: string) {
    super(`${request}: Expected a response of Muster, got ${what}. Check the URL.`);
    this.request = request;
    this.status = status;
  }
}

/** The ticket has ended without a match: it was cancelled, has timed out, or its match failed. */
export class TicketEnded extends Error {
  override readonly name = 'TicketEnded';
  readonly ticket: Ticket;

  constructor(ticket: Ticket) {
    super(
      `ticket ${ticket.ticketId} is ${ticket.status}${ticket.reason === undefined ? '' : `: ${ticket.reason}`}`,
    );
    this.ticket = ticket;
  }
}

/** A wait for a match has reached its time limit, and the ticket has not ended. It may still be matched. */
export class WaitEnded extends Error {
  override readonly name = 'WaitEnded';
  readonly ticketId: string;
  /** The status at the last poll; undefined when no poll had a response. */
  readonly status: Ticket['status'] | undefined;

  constructor(ticketId: string, status: Ticket['status'] | undefined, limitMs: number) {
    super(`expected ticket ${ticketId} to have its match within ${limitMs} ms, it is ${status ?? 'unknown'}`);
    this.ticketId = ticketId;
    this.status = status;
  }
}

/** A webhook that Muster has not sent: respond with status 401. */
export class WebhookRejected extends Error {
  override readonly name = 'WebhookRejected';
}

function reasonOf(cause: unknown): string {
  const {
    code,
    message,
    cause: inner,
  } = (cause ?? {}) as {
    readonly code?: unknown;
    readonly message?: string;
    readonly cause?: unknown;
  };
  if (inner !== undefined) return reasonOf(inner);
  // The code of a time-out is a number.
  return typeof code === 'string' ? code : (message ?? String(cause));
}
