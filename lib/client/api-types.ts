// The types of the OpenAPI document, written by `npm run client:types`.

export interface QueueDefinition {
  readonly name: string;
  /** Players in a team; omitted with a list of teams */
  readonly teamSize?: number | undefined;
  /** The number of teams of teamSize (default 2), or a list of kinds of teams instead of teamSize and roles. A match has 1 to 200 seats */
  readonly teams?: number | readonly TeamKind[] | undefined;
  /** Teams with a minSize may start with fewer players than size when every ticket of the match has waited this long */
  readonly short?:
    | {
        readonly afterSeconds: number;
        /** Imbalance of each empty seat (default 0) */
        readonly cost?: number | undefined;
      }
    | undefined;
  /** Seats per team by role; they sum to teamSize */
  readonly roles?: Readonly<Record<string, number>> | undefined;
  /** Attributes of players by name. A player without a value has the default; without a default its ticket is rejected */
  readonly attributes?:
    | Readonly<
        Record<
          string,
          | {
              readonly type: 'number';
              readonly default?: number | undefined;
              readonly min?: number | undefined;
              readonly max?: number | undefined;
              /** Who reads the value: backend (default): backends and game servers alone; match: also the players of the ticket and of its match */
              readonly visibleTo?: 'backend' | 'match' | undefined;
            }
          | {
              readonly type: 'string';
              readonly default?: string | undefined;
              readonly values?: readonly string[] | undefined;
              /** Who reads the value: backend (default): backends and game servers alone; match: also the players of the ticket and of its match */
              readonly visibleTo?: 'backend' | 'match' | undefined;
            }
          | {
              readonly type: 'strings';
              readonly default?: readonly string[] | undefined;
              readonly values?: readonly string[] | undefined;
              /** Who reads the value: backend (default): backends and game servers alone; match: also the players of the ticket and of its match */
              readonly visibleTo?: 'backend' | 'match' | undefined;
            }
        >
      >
    | undefined;
  /** Conditions that a match must meet, or that cost imbalance when it does not; see docs/rules.md */
  readonly rules?:
    | readonly (
        | {
            readonly name: string;
            readonly type: 'same';
            /** An attribute of this queue, or skill */
            readonly attribute: string;
            /** All players of a game, or those of each team (default game) */
            readonly scope?: 'game' | 'team' | undefined;
            /** The teams of this kind alone */
            readonly team?: string | undefined;
            /** What changes for a ticket that has waited this long, in ascending order */
            readonly relax?:
              | readonly {
                  readonly waitSeconds: number;
                  readonly off?: true | undefined;
                }[]
              | undefined;
            /** Imbalance of each unit by which a game falls short. A rule with a cost forbids nothing, unless it has a max */
            readonly cost?: number | undefined;
          }
        | {
            readonly name: string;
            readonly type: 'different';
            /** An attribute of this queue, or skill */
            readonly attribute: string;
            /** All players of a game, or those of each team (default game) */
            readonly scope?: 'game' | 'team' | undefined;
            /** The teams of this kind alone */
            readonly team?: string | undefined;
            /** What changes for a ticket that has waited this long, in ascending order */
            readonly relax?:
              | readonly {
                  readonly waitSeconds: number;
                  readonly off?: true | undefined;
                }[]
              | undefined;
            /** Imbalance of each unit by which a game falls short. A rule with a cost forbids nothing, unless it has a max */
            readonly cost?: number | undefined;
          }
        | {
            readonly name: string;
            readonly type: 'within';
            /** An attribute of this queue, or skill */
            readonly attribute: string;
            readonly max?: number | undefined;
            readonly party?: 'each' | 'mean' | 'least' | 'greatest' | undefined;
            /** All players of a game, or those of each team (default game) */
            readonly scope?: 'game' | 'team' | undefined;
            /** The teams of this kind alone */
            readonly team?: string | undefined;
            /** What changes for a ticket that has waited this long, in ascending order */
            readonly relax?:
              | readonly {
                  readonly waitSeconds: number;
                  readonly off?: true | undefined;
                  readonly max?: number | undefined;
                }[]
              | undefined;
            /** Imbalance of each unit by which a game falls short. A rule with a cost forbids nothing, unless it has a max */
            readonly cost?: number | undefined;
          }
        | {
            readonly name: string;
            readonly type: 'common';
            /** An attribute of this queue, or skill */
            readonly attribute: string;
            readonly atLeast?: number | undefined;
            /** All players of a game, or those of each team (default game) */
            readonly scope?: 'game' | 'team' | undefined;
            /** The teams of this kind alone */
            readonly team?: string | undefined;
            /** What changes for a ticket that has waited this long, in ascending order */
            readonly relax?:
              | readonly {
                  readonly waitSeconds: number;
                  readonly off?: true | undefined;
                  readonly atLeast?: number | undefined;
                }[]
              | undefined;
            /** Imbalance of each unit by which a game falls short. A rule with a cost forbids nothing, unless it has a max */
            readonly cost?: number | undefined;
          }
        | {
            readonly name: string;
            readonly type: 'accepted';
            /** What players bring: a list, such as their character */
            readonly attribute: string;
            /** What players accept: a list */
            readonly by: string;
            readonly atLeast?: number | undefined;
            /** All players of a game, or those of each team (default game) */
            readonly scope?: 'game' | 'team' | undefined;
            /** The teams of this kind alone */
            readonly team?: string | undefined;
            /** What changes for a ticket that has waited this long, in ascending order */
            readonly relax?:
              | readonly {
                  readonly waitSeconds: number;
                  readonly off?: true | undefined;
                  readonly atLeast?: number | undefined;
                }[]
              | undefined;
            /** Imbalance of each unit by which a game falls short. A rule with a cost forbids nothing, unless it has a max */
            readonly cost?: number | undefined;
          }
        | {
            readonly name: string;
            readonly type: 'count';
            /** An attribute of this queue, or skill */
            readonly attribute: string;
            readonly value: string | number;
            readonly atLeast?: number | undefined;
            readonly atMost?: number | undefined;
            /** All players of a game, or those of each team (default game) */
            readonly scope?: 'game' | 'team' | undefined;
            /** The teams of this kind alone */
            readonly team?: string | undefined;
            /** What changes for a ticket that has waited this long, in ascending order */
            readonly relax?:
              | readonly {
                  readonly waitSeconds: number;
                  readonly off?: true | undefined;
                  readonly atLeast?: number | undefined;
                  readonly atMost?: number | undefined;
                }[]
              | undefined;
            /** Imbalance of each unit by which a game falls short. A rule with a cost forbids nothing, unless it has a max */
            readonly cost?: number | undefined;
          }
        | {
            readonly name: string;
            readonly type: 'balance';
            /** An attribute of this queue, or skill */
            readonly attribute: string;
            readonly max?: number | undefined;
            /** What changes for a ticket that has waited this long, in ascending order */
            readonly relax?:
              | readonly {
                  readonly waitSeconds: number;
                  readonly off?: true | undefined;
                  readonly max?: number | undefined;
                }[]
              | undefined;
            /** Imbalance of each unit by which a game falls short. A rule with a cost forbids nothing, unless it has a max */
            readonly cost?: number | undefined;
          }
        | {
            readonly name: string;
            readonly type: 'compare';
            readonly left:
              | number
              | {
                  readonly of: 'mean' | 'sum' | 'least' | 'greatest' | 'count';
                  /** An attribute of this queue, or skill */
                  readonly attribute: string;
                  /** A kind of team (default: the whole game) */
                  readonly team?: string | undefined;
                };
            readonly right:
              | number
              | {
                  readonly of: 'mean' | 'sum' | 'least' | 'greatest' | 'count';
                  /** An attribute of this queue, or skill */
                  readonly attribute: string;
                  /** A kind of team (default: the whole game) */
                  readonly team?: string | undefined;
                };
            readonly op?: '<=' | '>=' | '=' | undefined;
            /** In place of op: the greatest difference */
            readonly max?: number | undefined;
            /** What changes for a ticket that has waited this long, in ascending order */
            readonly relax?:
              | readonly {
                  readonly waitSeconds: number;
                  readonly off?: true | undefined;
                  readonly max?: number | undefined;
                  readonly left?: number | undefined;
                  readonly right?: number | undefined;
                }[]
              | undefined;
            /** Imbalance of each unit by which a game falls short. A rule with a cost forbids nothing, unless it has a max */
            readonly cost?: number | undefined;
          }
        | {
            readonly name: string;
            readonly type: 'latency';
            /** Milliseconds of every player to the region of the match */
            readonly max?: number | undefined;
            /** What changes for a ticket that has waited this long, in ascending order */
            readonly relax?:
              | readonly {
                  readonly waitSeconds: number;
                  readonly off?: true | undefined;
                  readonly max?: number | undefined;
                }[]
              | undefined;
            /** Imbalance of each unit by which a game falls short. A rule with a cost forbids nothing, unless it has a max */
            readonly cost?: number | undefined;
          }
        | {
            readonly name: string;
            readonly type: 'recent';
            /** How long players who met stay apart; at most a week */
            readonly seconds: number;
            readonly scope?: 'game' | 'opponents' | 'teammates' | undefined;
            /** What changes for a ticket that has waited this long, in ascending order */
            readonly relax?:
              | readonly {
                  readonly waitSeconds: number;
                  readonly off?: true | undefined;
                  readonly seconds?: number | undefined;
                }[]
              | undefined;
            /** Imbalance of each unit by which a game falls short. A rule with a cost forbids nothing, unless it has a max */
            readonly cost?: number | undefined;
          }
        | {
            readonly name: string;
            readonly type: 'anyOf';
            readonly rules: readonly (
              | {
                  readonly type: 'same';
                  /** An attribute of this queue, or skill */
                  readonly attribute: string;
                  /** All players of a game, or those of each team (default game) */
                  readonly scope?: 'game' | 'team' | undefined;
                  /** The teams of this kind alone */
                  readonly team?: string | undefined;
                }
              | {
                  readonly type: 'different';
                  /** An attribute of this queue, or skill */
                  readonly attribute: string;
                  /** All players of a game, or those of each team (default game) */
                  readonly scope?: 'game' | 'team' | undefined;
                  /** The teams of this kind alone */
                  readonly team?: string | undefined;
                }
              | {
                  readonly type: 'within';
                  /** An attribute of this queue, or skill */
                  readonly attribute: string;
                  readonly max?: number | undefined;
                  readonly party?: 'each' | 'mean' | 'least' | 'greatest' | undefined;
                  /** All players of a game, or those of each team (default game) */
                  readonly scope?: 'game' | 'team' | undefined;
                  /** The teams of this kind alone */
                  readonly team?: string | undefined;
                  /** What changes for a ticket that has waited this long, in ascending order */
                  readonly relax?:
                    | readonly {
                        readonly waitSeconds: number;
                        readonly off?: true | undefined;
                        readonly max?: number | undefined;
                      }[]
                    | undefined;
                }
              | {
                  readonly type: 'common';
                  /** An attribute of this queue, or skill */
                  readonly attribute: string;
                  readonly atLeast?: number | undefined;
                  /** All players of a game, or those of each team (default game) */
                  readonly scope?: 'game' | 'team' | undefined;
                  /** The teams of this kind alone */
                  readonly team?: string | undefined;
                  /** What changes for a ticket that has waited this long, in ascending order */
                  readonly relax?:
                    | readonly {
                        readonly waitSeconds: number;
                        readonly off?: true | undefined;
                        readonly atLeast?: number | undefined;
                      }[]
                    | undefined;
                }
              | {
                  readonly type: 'accepted';
                  /** What players bring: a list, such as their character */
                  readonly attribute: string;
                  /** What players accept: a list */
                  readonly by: string;
                  readonly atLeast?: number | undefined;
                  /** All players of a game, or those of each team (default game) */
                  readonly scope?: 'game' | 'team' | undefined;
                  /** The teams of this kind alone */
                  readonly team?: string | undefined;
                  /** What changes for a ticket that has waited this long, in ascending order */
                  readonly relax?:
                    | readonly {
                        readonly waitSeconds: number;
                        readonly off?: true | undefined;
                        readonly atLeast?: number | undefined;
                      }[]
                    | undefined;
                }
              | {
                  readonly type: 'count';
                  /** An attribute of this queue, or skill */
                  readonly attribute: string;
                  readonly value: string | number;
                  readonly atLeast?: number | undefined;
                  readonly atMost?: number | undefined;
                  /** All players of a game, or those of each team (default game) */
                  readonly scope?: 'game' | 'team' | undefined;
                  /** The teams of this kind alone */
                  readonly team?: string | undefined;
                  /** What changes for a ticket that has waited this long, in ascending order */
                  readonly relax?:
                    | readonly {
                        readonly waitSeconds: number;
                        readonly off?: true | undefined;
                        readonly atLeast?: number | undefined;
                        readonly atMost?: number | undefined;
                      }[]
                    | undefined;
                }
              | {
                  readonly type: 'balance';
                  /** An attribute of this queue, or skill */
                  readonly attribute: string;
                  readonly max?: number | undefined;
                  /** What changes for a ticket that has waited this long, in ascending order */
                  readonly relax?:
                    | readonly {
                        readonly waitSeconds: number;
                        readonly off?: true | undefined;
                        readonly max?: number | undefined;
                      }[]
                    | undefined;
                }
              | {
                  readonly type: 'compare';
                  readonly left:
                    | number
                    | {
                        readonly of: 'mean' | 'sum' | 'least' | 'greatest' | 'count';
                        /** An attribute of this queue, or skill */
                        readonly attribute: string;
                        /** A kind of team (default: the whole game) */
                        readonly team?: string | undefined;
                      };
                  readonly right:
                    | number
                    | {
                        readonly of: 'mean' | 'sum' | 'least' | 'greatest' | 'count';
                        /** An attribute of this queue, or skill */
                        readonly attribute: string;
                        /** A kind of team (default: the whole game) */
                        readonly team?: string | undefined;
                      };
                  readonly op?: '<=' | '>=' | '=' | undefined;
                  /** In place of op: the greatest difference */
                  readonly max?: number | undefined;
                  /** What changes for a ticket that has waited this long, in ascending order */
                  readonly relax?:
                    | readonly {
                        readonly waitSeconds: number;
                        readonly off?: true | undefined;
                        readonly max?: number | undefined;
                        readonly left?: number | undefined;
                        readonly right?: number | undefined;
                      }[]
                    | undefined;
                }
            )[];
            /** What changes for a ticket that has waited this long, in ascending order */
            readonly relax?:
              | readonly {
                  readonly waitSeconds: number;
                  readonly off?: true | undefined;
                }[]
              | undefined;
          }
      )[]
    | undefined;
  /** The waits that relax rules. each (default): every ticket has the limits of its own age, and a match must meet all of them. oldest: the limits of the oldest ticket of a match apply to all */
  readonly relaxBy?: 'each' | 'oldest' | undefined;
  /** imbalance = alpha · teamGap + skillSpread */
  readonly imbalance: {
    /** Weight of teamGap (team difference) */
    readonly alpha: number;
    /** A norm: a number from 1 up, or "inf" */
    readonly p: number | 'inf';
    /** A norm: a number from 1 up, or "inf" */
    readonly q: number | 'inf';
  };
  /** Imbalance that one second of waiting outweighs (default 0) */
  readonly beta?: number | undefined;
  readonly release:
    | {
        readonly policy: 'greedy';
      }
    | {
        readonly policy: 'fifo';
      }
    | {
        readonly policy: 'periodic';
        readonly everySeconds?: number | undefined;
      }
    | {
        readonly policy: 'expanding';
        readonly tolerance: number;
        readonly steps?:
          | readonly {
              readonly waitSeconds: number;
              readonly tolerance: number;
            }[]
          | undefined;
        readonly growthPerSecond?: number | undefined;
        readonly toleranceMax?: number | undefined;
      }
    | {
        readonly policy: 'option-value';
        readonly waitCost: number;
        readonly longestWaitSeconds?: number | undefined;
      };
  /** Seconds between two searches */
  readonly tickSeconds: number;
  /** Longest wait of a ticket */
  readonly timeoutSeconds: number;
  /** Skills at which the pool is split; or "auto" (default): one bucket, split and merged as the load requires */
  readonly buckets?: 'auto' | readonly number[] | undefined;
  /** What fills the game of a ticket at its time-out */
  readonly fill?: 'none' | 'bots' | undefined;
  /** Lets running matches ask for players into their empty seats */
  readonly backfill?:
    | {
        /** high: before new matches; normal (default): where the newcomers add less imbalance than their best new match has; low: after new matches */
        readonly priority?: 'low' | 'normal' | 'high' | undefined;
      }
    | undefined;
  /** true: a player stands in one ticket of the queue at a time, until the ticket or its match has ended; another one is rejected with 409. "service": in one ticket of all queues that say "service" (default false) */
  readonly onePlace?: boolean | 'service' | undefined;
  /** Match by skill, or by its percentile in the recent population (default raw) */
  readonly skillScale?: 'raw' | 'percentile' | undefined;
  /** The ladder that rates its matches. Tickets then come without skill: each player has the mean of their rating. A match has 2 teams or more, and at most 99 seats */
  readonly ladder?: string | undefined;
  /** Every ticket must accept the match within this time */
  readonly acceptance?:
    | {
        readonly timeoutSeconds: number;
      }
    | undefined;
  /** Lets players wait before their next ticket when they have declined matches or have left them (429 with Retry-After) */
  readonly cooldown?: CooldownOptions | undefined;
  /** Cancels tickets of players who have been connected and are gone for longer than a grace (PLAYER_LEFT), so that no match is made with them */
  readonly presence?: PresenceOptions | undefined;
  readonly provisioner?:
    | {
        readonly type: 'none';
      }
    | {
        readonly type: 'http';
        /** The studio's endpoint: it receives the match and returns the assignment */
        readonly url: string;
        /** Signs the request (Standard Webhooks) */
        readonly secret?: string | undefined;
        /** Default 5 */
        readonly requestTimeoutSeconds?: number | undefined;
        /** How long a match may stay PLACING before it is FAILED (default 300) */
        readonly timeoutSeconds?: number | undefined;
        /** What becomes of the tickets of a match that is not placed. fail (default): they are FAILED with it; requeue: they return to the queue with the wait they had, and a ticket is FAILED with its third such match */
        readonly onFailure?: 'fail' | 'requeue' | undefined;
      }
    | {
        readonly type: 'external';
        /** How long a match may stay PLACING before it is FAILED (default 300) */
        readonly timeoutSeconds?: number | undefined;
        /** What becomes of the tickets of a match that is not placed. fail (default): they are FAILED with it; requeue: they return to the queue with the wait they had, and a ticket is FAILED with its third such match */
        readonly onFailure?: 'fail' | 'requeue' | undefined;
      }
    | {
        readonly type: 'gamelift';
        /** The name or ARN of the queue of Amazon GameLift Servers that places the game sessions. The deployment must name it too */
        readonly gameSessionQueue: string;
        /** Passed to the game session */
        readonly gameProperties?: Readonly<Record<string, string>> | undefined;
        /** How long a match may stay PLACING before it is FAILED (default 300) */
        readonly timeoutSeconds?: number | undefined;
        /** What becomes of the tickets of a match that is not placed. fail (default): they are FAILED with it; requeue: they return to the queue with the wait they had, and a ticket is FAILED with its third such match */
        readonly onFailure?: 'fail' | 'requeue' | undefined;
      }
    | {
        readonly type: 'agones';
        /** The URL of Agones's allocation service, or one for each region: the region of the match picks it */
        readonly allocator: string | Readonly<Record<string, string>>;
        /** The name of the secret with the client certificate: JSON { "cert", "key", "ca"? } of PEM texts */
        readonly certificate: string;
        /** The Kubernetes namespace of the game servers (default "default") */
        readonly namespace?: string | undefined;
        /** Which ready game servers to allocate, in order of preference (default: any of the namespace) */
        readonly selectors?:
          | readonly {
              readonly matchLabels: Readonly<Record<string, string>>;
            }[]
          | undefined;
        /** Apply the multi-cluster policies of the allocation service (default false) */
        readonly multiCluster?: boolean | undefined;
        /** Default 5 */
        readonly requestTimeoutSeconds?: number | undefined;
        /** How long a match may stay PLACING before it is FAILED (default 300) */
        readonly timeoutSeconds?: number | undefined;
        /** What becomes of the tickets of a match that is not placed. fail (default): they are FAILED with it; requeue: they return to the queue with the wait they had, and a ticket is FAILED with its third such match */
        readonly onFailure?: 'fail' | 'requeue' | undefined;
      }
    | undefined;
  readonly webhooks?:
    | readonly {
        /** Where events are POSTed. On AWS it must be https and a public address. */
        readonly url: string;
        /** The name of the secret that signs the requests (Standard Webhooks) */
        readonly secret: string;
        /** The events to send (default: all) */
        readonly events?:
          | readonly (
              | 'TicketQueued'
              | 'TicketCancelled'
              | 'TicketTimedOut'
              | 'TicketFailed'
              | 'MatchFound'
              | 'MatchAccepted'
              | 'MatchAssigned'
              | 'MatchFailed'
              | 'MatchBackfilled'
              | 'MatchEnded'
              | 'MatchRated'
            )[]
          | undefined;
      }[]
    | undefined;
  /** The events to publish on the event bus (default: all but TicketQueued). Events that webhooks or Muster itself need are published as well */
  readonly events?:
    | readonly (
        | 'TicketQueued'
        | 'TicketCancelled'
        | 'TicketTimedOut'
        | 'TicketFailed'
        | 'MatchFound'
        | 'MatchAccepted'
        | 'MatchAssigned'
        | 'MatchFailed'
        | 'MatchBackfilled'
        | 'MatchEnded'
        | 'MatchRated'
      )[]
    | undefined;
}

export interface TeamKind {
  /** Unique in the list. With a count above 1 the teams are named NAME-1, NAME-2, … */
  readonly name: string;
  /** Players in a team */
  readonly size: number;
  /** Teams of this kind in a game (default 1) */
  readonly count?: number | undefined;
  /** The minimum of players with which the team may start, see `short` (default size) */
  readonly minSize?: number | undefined;
  /** Seats by role; they sum to size */
  readonly roles?: Readonly<Record<string, number>> | undefined;
  /** Added to the p-skill of the team when teams are compared (default 0) */
  readonly offset?: number | undefined;
}

export interface CooldownOptions {
  /** For players of a ticket that declines a match, or does not answer in time */
  readonly decline?:
    | readonly {
        /** From this many offences of the kind on */
        readonly times: number;
        /** How long the player gets no further ticket, counted from the last of them */
        readonly seconds: number;
      }[]
    | undefined;
  /** For players that the studio names as `leavers` when it ends their match */
  readonly leave?:
    | readonly {
        /** From this many offences of the kind on */
        readonly times: number;
        /** How long the player gets no further ticket, counted from the last of them */
        readonly seconds: number;
      }[]
    | undefined;
  /** How long an offence counts (default 86400) */
  readonly forgetAfterSeconds?: number | undefined;
}

export interface PresenceOptions {
  /** How long a player may be gone before the ticket is cancelled */
  readonly graceSeconds: number;
  /** Every player has to connect within the grace from the POST of the ticket on. Without it, a player who never connects counts as present */
  readonly required?: true | undefined;
}

export interface NewTicket {
  readonly ticketId: string;
  /** A party; its players are on the same team, unless `split` is true */
  readonly players: readonly NewPlayer[];
  /** true: the party may be divided over teams, and may then be as large as a match (default false) */
  readonly split?: boolean | undefined;
  /** A QUEUED ticket of the same queue with at least one of these players. It is cancelled, and this ticket has its wait. 409 when it has a match already */
  readonly replaces?: string | undefined;
}

export interface NewPlayer {
  readonly playerId: string;
  /** Any scale; imbalance has the same unit. Required, except in a queue with a `ladder`, where it is not allowed */
  readonly skill?: number | undefined;
  /** Roles the player accepts (default: every role of the queue) */
  readonly roles?: readonly string[] | undefined;
  /** Values of the attributes of the queue */
  readonly attributes?: Readonly<Record<string, number | string | readonly string[]>> | undefined;
  /** Milliseconds to each region that the player can reach. Omit a region that was not measured: 0 is the best latency */
  readonly latencyMs?: Readonly<Record<string, number>> | undefined;
  /** playerIds that are never in one match with this player, even if only one of the two names the other. Never shown to players */
  readonly avoid?: readonly string[] | undefined;
  /** The kinds of team that the player accepts, by name (default: every kind) */
  readonly teams?: readonly string[] | undefined;
}

export interface TicketBatch {
  /** The tickets, each as in a request for one ticket */
  readonly tickets: readonly NewTicket[];
}

export interface ExperimentDefinition {
  readonly name: string;
  /** The first is what the others are compared with */
  readonly variants: readonly {
    /** Unique in the experiment */
    readonly name: string;
    /** Keys of the definition with the values they have in this variant; null removes a key. What no key names is as in the definition */
    readonly changes: {
      readonly imbalance?: unknown | undefined;
      readonly beta?: unknown | undefined;
      readonly release?: unknown | undefined;
      readonly rules?: unknown | undefined;
      readonly relaxBy?: unknown | undefined;
      readonly short?: unknown | undefined;
    };
  }[];
  /** How long a variant is in force before the next is drawn */
  readonly blockMinutes: number;
  /** For how long at the beginning and at the end of a block tickets are not counted, because they meet tickets of the block before, or are matched in the next one; "auto" (default): the time-out of the queue, at most a quarter of a block */
  readonly burnInMinutes?: 'auto' | number | undefined;
  /** How long it lasts: whole rounds of one block for each variant, as many as begin in this time; at most 2200 blocks */
  readonly days: number;
  /** Ends the experiment on a running queue when a block of a variant exceeds this. Variants without changes are not judged: they are what is in force after the end */
  readonly stop?:
    | {
        /** The longest wait in seconds that 99 of 100 players of a block may have; of fewer than 100 players the longest of all */
        readonly waitP99Seconds: number;
      }
    | undefined;
}

export type DryRun =
  | readonly FileTicket[]
  | {
      readonly tickets: readonly FileTicket[];
      readonly now?: string | undefined;
    };

export interface FileTicket {
  readonly ticketId: string;
  readonly enqueuedAt: string;
  /** A party; its players are on the same team, unless `split` is true */
  readonly players: readonly Player[];
  /** true: the party may be divided over teams, and may then be as large as a match (default false) */
  readonly split?: boolean | undefined;
}

export interface Player {
  readonly playerId: string;
  /** Any scale; imbalance has the same unit */
  readonly skill: number;
  /** Roles the player accepts (default: every role of the queue) */
  readonly roles?: readonly string[] | undefined;
  /** Values of the attributes of the queue */
  readonly attributes?: Readonly<Record<string, number | string | readonly string[]>> | undefined;
  /** Milliseconds to each region that the player can reach. Omit a region that was not measured: 0 is the best latency */
  readonly latencyMs?: Readonly<Record<string, number>> | undefined;
  /** playerIds that are never in one match with this player, even if only one of the two names the other. Never shown to players */
  readonly avoid?: readonly string[] | undefined;
  /** The kinds of team that the player accepts, by name (default: every kind) */
  readonly teams?: readonly string[] | undefined;
}

export interface LadderDefinition {
  readonly name: string;
  /** The model of openskill that rates the matches */
  readonly model?: 'plackett-luce' | 'bradley-terry' | 'thurstone-mosteller' | undefined;
  /** The rating of a player without a match, in the studio's own scale */
  readonly initial?:
    | {
        readonly mean: number;
        readonly deviation: number;
      }
    | undefined;
  /** How much chance is in a team's result: the standard deviation of its performance */
  readonly beta?: number | undefined;
  /** How much a skill changes by a match and in a day, as standard deviations */
  readonly drift?:
    | {
        readonly perGame: number;
        readonly perDay: number;
      }
    | undefined;
  /** How many matches the placement of a new player takes (default 0). Reads of a rating say how many are left; they change neither matches nor ratings */
  readonly placementMatches?: number | undefined;
}

export interface NewRating {
  readonly mean: number;
  /** Default: that of a new player */
  readonly deviation?: number | undefined;
  /** How many matches it is from (default 0) */
  readonly matches?: number | undefined;
}

export interface Acceptance {
  /** false: the party declines this match */
  readonly accepted: boolean;
  /** The match to accept or decline. The request is rejected when the ticket has another match by now */
  readonly matchId: string;
}

export interface Assignment {
  /** Host name or IP address */
  readonly address: string;
  readonly port?: number | undefined;
  readonly sessionId?: string | undefined;
  /** The token that each player presents to the game server, by playerId */
  readonly tokens?: Readonly<Record<string, string>> | undefined;
}

export interface NewBackfill {
  readonly backfillId: string;
  /** The players who are still in the match. All other seats of its teams are empty */
  readonly players: readonly NewPresentPlayer[];
  /** The roster of the match that the server knows (default: the first one, or the newest one if one of its newcomers is among the players). 409 when the match has another one by now */
  readonly roster?: number | undefined;
  /** Where the match is played (default: the region that Muster chose for it, if any) */
  readonly region?: string | undefined;
}

export interface NewPresentPlayer {
  readonly playerId: string;
  /** Any scale; imbalance has the same unit. Required, except in a queue with a `ladder`, where it is not allowed */
  readonly skill?: number | undefined;
  /** Roles the player accepts (default: every role of the queue) */
  readonly roles?: readonly string[] | undefined;
  /** Values of the attributes of the queue */
  readonly attributes?: Readonly<Record<string, number | string | readonly string[]>> | undefined;
  /** Milliseconds to each region that the player can reach. Omit a region that was not measured: 0 is the best latency */
  readonly latencyMs?: Readonly<Record<string, number>> | undefined;
  /** playerIds that are never in one match with this player, even if only one of the two names the other. Never shown to players */
  readonly avoid?: readonly string[] | undefined;
  /** The kinds of team that the player accepts, by name (default: every kind) */
  readonly teams?: readonly string[] | undefined;
  /** The index of the player's team in the match */
  readonly team: number;
}

export interface MatchEnd {
  /** The players who have left the match before its end, also those whose seats were filled since. In a queue with `cooldown.leave` they wait before their next ticket; elsewhere this changes nothing */
  readonly leavers?: readonly string[] | undefined;
}

export interface NewResult {
  /** One for each team, in their order: the lowest has won, and equal ones are a draw */
  readonly ranks?: readonly number[] | undefined;
  /** Instead of ranks: the highest has won */
  readonly scores?: readonly number[] | undefined;
  /** Instead of ranks: it counts for no player */
  readonly void?: true | undefined;
  /** Players who were there for a part of the match (default: all of it, and for newcomers of a backfill the part since they joined) */
  readonly players?:
    | readonly {
        readonly playerId: string;
        /** The part of the match that the player was there for */
        readonly weight: number;
      }[]
    | undefined;
  /** As when a match is ended without a result */
  readonly leavers?: readonly string[] | undefined;
}

export interface TicketQueuedWebhook {
  readonly type: 'TicketQueued';
  /** The same as data.time */
  readonly timestamp: string;
  readonly data: TicketEvent;
}

export interface TicketEvent {
  /** The same for every delivery of this event: use it to discard duplicates */
  readonly eventId: string;
  /** When the event happened */
  readonly time: string;
  readonly queue: string;
  /** Present when the whole event is larger than 240 KB. Then `match` omits `rules`, `assignment.tokens` and the `attributes` of players, `ticket` has only `playerId` and `skill` of each player, and a `reason` ends after 1,000 letters. `GET /matches/{matchId}` and `GET /tickets/{ticketId}` return the whole */
  readonly truncated?: true | undefined;
  readonly ticket: Ticket;
}

export interface Ticket {
  readonly ticketId: string;
  readonly queue: string;
  readonly status:
    | 'QUEUED'
    | 'REQUIRES_ACCEPTANCE'
    | 'PLACING'
    | 'COMPLETED'
    | 'CANCELLED'
    | 'TIMED_OUT'
    | 'FAILED';
  readonly enqueuedAt: string;
  /** The party */
  readonly players: readonly TicketPlayer[];
  /** Present when the party may be divided over teams */
  readonly split?: true | undefined;
  /** The ticket that it has replaced */
  readonly replaces?: string | undefined;
  /** The ticket that has replaced it */
  readonly replacedBy?: string | undefined;
  /** Present once the ticket has a match */
  readonly matchId?: string | undefined;
  /** In responses to POST and GET, while QUEUED: within this many seconds from now half of the tickets like this one are matched, and nine of ten. Absent while too little is known */
  readonly estimatedWaitSeconds?:
    | {
        readonly p50: number;
        /** Absent while fewer than nine of ten such tickets are known to be matched before their time-out */
        readonly p90?: number | undefined;
      }
    | undefined;
  /** In responses to POST, if the deployment has push: a game client that opens the WebSocket `url` with its token, as `URL?token=TOKEN`, gets every change of this ticket. Pass each player their own token only */
  readonly watch?:
    | {
        readonly url: string;
        /** By playerId, one for each player */
        readonly tokens: Readonly<Record<string, string>>;
        /** In a queue with presence: ping at this interval */
        readonly pingSeconds?: number | undefined;
      }
    | undefined;
  /** Why the ticket ended without a match. While QUEUED, with `explain=true`: why it is not matched yet */
  readonly reason?: string | undefined;
  /** Why the ticket ended without a match, for programs. DECLINED and NOT_ACCEPTED: it has declined its match, or has not answered in time. PLACEMENT_REFUSED and PLACEMENT_TIMED_OUT: as for its match. PLAYER_LEFT: a player of it was gone for longer than the grace of its queue. NO_MATCH_IN_TIME: the time-out of its queue. CANCELLED_BY_REQUEST: by a client. REPLACED: another ticket has taken over its wait. NO_LONGER_FITS: the queue was changed. MATCH_TOO_LARGE, UNREADABLE: its data cannot be stored in a match, or not be read. QUEUE_DELETED: it would have returned to a queue that is deleted */
  readonly reasonCode?:
    | 'DECLINED'
    | 'NOT_ACCEPTED'
    | 'PLACEMENT_REFUSED'
    | 'PLACEMENT_TIMED_OUT'
    | 'PLAYER_LEFT'
    | 'NO_MATCH_IN_TIME'
    | 'CANCELLED_BY_REQUEST'
    | 'REPLACED'
    | 'NO_LONGER_FITS'
    | 'MATCH_TOO_LARGE'
    | 'UNREADABLE'
    | 'QUEUE_DELETED'
    | undefined;
}

export interface TicketPlayer {
  readonly playerId: string;
  /** Any scale; imbalance has the same unit */
  readonly skill: number;
  /** Roles the player accepts (default: every role of the queue) */
  readonly roles?: readonly string[] | undefined;
  /** Values of the attributes of the queue */
  readonly attributes?: Readonly<Record<string, number | string | readonly string[]>> | undefined;
  /** Milliseconds to each region that the player can reach. Omit a region that was not measured: 0 is the best latency */
  readonly latencyMs?: Readonly<Record<string, number>> | undefined;
  /** playerIds that are never in one match with this player, even if only one of the two names the other. Never shown to players */
  readonly avoid?: readonly string[] | undefined;
  /** The kinds of team that the player accepts, by name (default: every kind) */
  readonly teams?: readonly string[] | undefined;
}

export interface TicketCancelledWebhook {
  readonly type: 'TicketCancelled';
  /** The same as data.time */
  readonly timestamp: string;
  readonly data: TicketEvent;
}

export interface TicketTimedOutWebhook {
  readonly type: 'TicketTimedOut';
  /** The same as data.time */
  readonly timestamp: string;
  readonly data: TicketEvent;
}

export interface TicketFailedWebhook {
  readonly type: 'TicketFailed';
  /** The same as data.time */
  readonly timestamp: string;
  readonly data: TicketEvent;
}

export interface MatchFoundWebhook {
  readonly type: 'MatchFound';
  /** The same as data.time */
  readonly timestamp: string;
  readonly data: MatchEvent;
}

export interface MatchEvent {
  /** The same for every delivery of this event: use it to discard duplicates */
  readonly eventId: string;
  /** When the event happened */
  readonly time: string;
  readonly queue: string;
  /** Present when the whole event is larger than 240 KB. Then `match` omits `rules`, `assignment.tokens` and the `attributes` of players, `ticket` has only `playerId` and `skill` of each player, and a `reason` ends after 1,000 letters. `GET /matches/{matchId}` and `GET /tickets/{ticketId}` return the whole */
  readonly truncated?: true | undefined;
  readonly match: Match;
  /** Present on the one event of a match from which on its players can play: start its game now. It is MatchFound, or MatchAccepted in a queue with `acceptance`, or MatchAssigned in a queue with a provisioner */
  readonly ready?: true | undefined;
}

export interface Match {
  readonly matchId: string;
  readonly queue: string;
  readonly status: 'REQUIRES_ACCEPTANCE' | 'PLACING' | 'COMPLETED' | 'FAILED';
  readonly createdAt: string;
  /** In the order of the queue's definition; two equal teams have no order */
  readonly teams: readonly {
    /** Present when the queue has a list of teams */
    readonly name?: string | undefined;
    readonly players: readonly {
      readonly playerId: string;
      /** Absent for a bot */
      readonly ticketId?: string | undefined;
      readonly role?: string | undefined;
      readonly bot?: true | undefined;
      /** The attributes that its ticket was posted with; to a player, those that are `visibleTo` match */
      readonly attributes?: Readonly<Record<string, number | string | readonly string[]>> | undefined;
    }[];
  }[];
  /** alpha · teamGap + skillSpread; 0 is perfect */
  readonly imbalance: number;
  /** d_p, the greatest difference between two teams; 0 is equal */
  readonly teamGap: number;
  /** v_q, how much the skills of all players differ; 0 is equal */
  readonly skillSpread: number;
  /** imbalance − beta · (longest wait of its tickets, in seconds). The search minimises it; lower is better */
  readonly priority: number;
  /** A proved lower bound on `priority` (not on `imbalance`): no match of the players in the pool at that moment, without bots, had a lower priority. `priority − lowerBound` is the most that this match can be worse than the best one */
  readonly lowerBound: number;
  /** Whether the match is proved to have the lowest priority of all that its `lowerBound` is about: `lowerBound` = `priority` */
  readonly optimal: boolean;
  /** Where the match is played: of the regions that the latency rule permits, the one with the least latency for its worst player */
  readonly region?: string | undefined;
  /** By name: what rules of the queue cost, and what the players share; to a player, of rules that read only attributes `visibleTo` match */
  readonly rules?:
    | Readonly<
        Record<
          string,
          {
            /** What the rule added to `imbalance` */
            readonly cost?: number | undefined;
            /** What the players share under it */
            readonly values?: readonly string[] | undefined;
          }
        >
      >
    | undefined;
  readonly assignment?: MatchAssignment | undefined;
  /** While REQUIRES_ACCEPTANCE: the deadline, and the tickets that have accepted. Of a match that FAILED because it was not accepted also the ticket that declined, and those that had not answered */
  readonly acceptance?:
    | {
        readonly deadline: string;
        readonly accepted: readonly string[];
        readonly declined?: readonly string[] | undefined;
        readonly unanswered?: readonly string[] | undefined;
      }
    | undefined;
  /** Why it FAILED */
  readonly reason?: string | undefined;
  /** Why it FAILED, for programs. DECLINED: a ticket has declined. NOT_ACCEPTED: not every ticket has answered in time. PLACEMENT_REFUSED: its provisioner has refused it. PLACEMENT_TIMED_OUT: it had no assignment in time. PLAYER_LEFT: a player was gone before it was accepted or placed */
  readonly reasonCode?:
    | 'DECLINED'
    | 'NOT_ACCEPTED'
    | 'PLACEMENT_REFUSED'
    | 'PLACEMENT_TIMED_OUT'
    | 'PLAYER_LEFT'
    | undefined;
  /** Present when its tickets return to the queue, because it was not placed. Those of which it is the third such match are FAILED; if a player had left, the tickets of those who left are CANCELLED */
  readonly requeued?: true | undefined;
  /** The version of `teams`: absent in the first; each backfill makes the next, from 2 up */
  readonly roster?: number | undefined;
  /** The tickets that the last backfill added. Absent in the first roster */
  readonly newTicketIds?: readonly string[] | undefined;
  /** When the match was ended for good */
  readonly endedAt?: string | undefined;
  /** The ladder whose ratings its result changes */
  readonly ladder?: string | undefined;
  /** The chance of each team to win, as the ladder predicts it. They sum to 1. Absent when the ratings could not be read */
  readonly expected?: readonly number[] | undefined;
  readonly result?: Result | undefined;
  /** Present once its result is rated: each player. To a player, their own alone */
  readonly ratings?:
    | readonly {
        readonly playerId: string;
        readonly before: {
          readonly mean: number;
          readonly deviation: number;
        };
        readonly after: {
          readonly mean: number;
          readonly deviation: number;
        };
      }[]
    | undefined;
}

export interface MatchAssignment {
  /** Host name or IP address */
  readonly address: string;
  readonly port?: number | undefined;
  readonly sessionId?: string | undefined;
  /** The token that each player presents to the game server, by playerId */
  readonly tokens?: Readonly<Record<string, string>> | undefined;
}

export interface Result {
  /** When it was accepted */
  readonly at: string;
  /** One for each team. Absent when it is void */
  readonly ranks?: readonly number[] | undefined;
  readonly void?: true | undefined;
  /** Those who do not count in full */
  readonly players?:
    | readonly {
        readonly playerId: string;
        readonly weight: number;
      }[]
    | undefined;
}

export interface MatchAcceptedWebhook {
  readonly type: 'MatchAccepted';
  /** The same as data.time */
  readonly timestamp: string;
  readonly data: MatchEvent;
}

export interface MatchAssignedWebhook {
  readonly type: 'MatchAssigned';
  /** The same as data.time */
  readonly timestamp: string;
  readonly data: MatchEvent;
}

export interface MatchFailedWebhook {
  readonly type: 'MatchFailed';
  /** The same as data.time */
  readonly timestamp: string;
  readonly data: MatchEvent;
}

export interface MatchBackfilledWebhook {
  readonly type: 'MatchBackfilled';
  /** The same as data.time */
  readonly timestamp: string;
  readonly data: MatchEvent;
}

export interface MatchEndedWebhook {
  readonly type: 'MatchEnded';
  /** The same as data.time */
  readonly timestamp: string;
  readonly data: MatchEvent;
}

export interface MatchRatedWebhook {
  readonly type: 'MatchRated';
  /** The same as data.time */
  readonly timestamp: string;
  readonly data: MatchEvent;
}

export interface QueueList {
  /** Sorted by name */
  readonly queues: readonly QueueDefinition[];
  /** In the first response. Queues whose definition the deployed version cannot read, usually after a rollback: they get no matches until a version that reads it is deployed, or the definition is replaced */
  readonly unreadable?: readonly string[] | undefined;
  /** Repeat the request with it: the definitions of further queues did not fit into the response */
  readonly continuation?: string | undefined;
}

/** RFC 9457 */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The reason for programs; every 409 has one. Later versions may add codes */
  readonly code?:
    | 'TICKET_ENDED'
    | 'TICKET_ID_TAKEN'
    | 'TICKET_NOT_QUEUED'
    | 'TICKET_NOT_REPLACEABLE'
    | 'TICKET_NOT_ACCEPTING'
    | 'PLAYER_IN_TICKET'
    | 'LADDER_REMOVED'
    | 'NO_PRESENCE'
    | 'NO_BACKFILL'
    | 'BACKFILL_ID_TAKEN'
    | 'BACKFILL_ENDED'
    | 'ROSTER_CHANGED'
    | 'MATCH_STATUS'
    | 'MATCH_ASSIGNED'
    | 'MATCH_NOT_RATED'
    | 'MATCH_HAS_RESULT'
    | 'EXPERIMENT_RUNNING'
    | 'LADDER_IN_USE'
    | 'TOO_MANY_DEFINITIONS'
    | 'TOO_MANY_LAYOUTS'
    | 'DEFINITION_CHANGED'
    | 'COOLDOWN'
    | undefined;
  /** The invalid fields as JSON pointers */
  readonly errors?:
    | readonly {
        readonly pointer: string;
        readonly detail: string;
      }[]
    | undefined;
}

export interface TicketBatchResult {
  readonly results: readonly {
    /** The posted id; null when it cannot be read */
    readonly ticketId: string | null;
    /** The status of the response if the ticket were posted alone */
    readonly status: 200 | 201 | 400 | 409 | 429 | 503;
    /** Present with 200 and 201 */
    readonly ticket?: Ticket | undefined;
    /** Present with 400, 409, 429 and 503 */
    readonly problem?: Problem | undefined;
  }[];
}

export interface QueueStats {
  readonly queue: string;
  /** When these were read, by the clock of the service */
  readonly at: string;
  /** The players who arrive; null before the first ticket */
  readonly arrivals: {
    /** When the last of them came, measured over about the last 300 players */
    readonly playersPerSecond: number;
    /** Since the last ticket, as far as ticks have looked */
    readonly silentSeconds: number;
  } | null;
  /** Tickets that were waiting at `waitingAt` */
  readonly waiting: number;
  /** The tick that counted the tickets: a tick or two ago while tickets are waiting. With several buckets, the oldest of the ticks that were counted. null before the first tick */
  readonly waitingAt: string | null;
  /** As of the last tick; null when no ticket was waiting */
  readonly oldestWaitSeconds: number | null;
  readonly lastTickAt: string | null;
  /** How long ticks are missing that should have run, because tickets are waiting or were posted; about 0 while ticks run */
  readonly tickOverdueSeconds: number;
  /** The duration of the last tick; with several buckets, the longest */
  readonly tickMilliseconds: number | null;
  /** Over the last matches of each bucket, 20 at most. The waits are those of matched tickets; for waiting tickets see `waiting` and `oldestWaitSeconds` */
  readonly recentMatches: {
    readonly count: number;
    readonly imbalanceMean: number | null;
    readonly waitSecondsP50: number | null;
    readonly waitSecondsP99: number | null;
  };
  /** The tickets that were matched or timed out since `outcomes.since` */
  readonly recentEnds: {
    readonly tickets: number;
    /** null without tickets */
    readonly timedOutShare: number | null;
  };
  /** From the ticket to the game. The counts may miss or repeat some while a function is stopped or a table is throttled */
  readonly outcomes: {
    /** They are counted from this time on: five to six minutes */
    readonly since: string;
    /** Tickets by how they left the queue. Those that have left it or wait are those that were posted and those that have returned */
    readonly tickets: {
      readonly matched: number;
      readonly timedOut: number;
      readonly cancelled: number;
      /** Cancelled because a player has left, before a match or in one. Present in a queue with presence */
      readonly vanished?: number | undefined;
      /** From matches that failed. Each is matched again, or ends */
      readonly returned: number;
    };
    readonly matches: {
      readonly found: number;
      /** Not placed, and their tickets have returned to the queue */
      readonly requeued: number;
      /** Ended by `POST /matches/{matchId}/end` */
      readonly ended: number;
    };
    /** Matches whose acceptance has come to its end: all tickets have accepted, one has declined, or not all have answered in time. Present in a queue with acceptance */
    readonly acceptance?:
      | {
          readonly accepted: number;
          readonly declined: number;
          readonly notAccepted: number;
          /** Of these matches; null without any */
          readonly failedShare: number | null;
        }
      | undefined;
    /** Matches that have got a game server, and those that have not: their provisioner has refused, or no assignment came in time. Present in a queue with a provisioner, or when matches are assigned */
    readonly placement?:
      | {
          readonly placed: number;
          readonly refused: number;
          readonly timedOut: number;
          /** Of these matches; null without any */
          readonly failedShare: number | null;
        }
      | undefined;
    /** Players whose cooldown began, because they declined a match or did not answer, and because they left one. Present in a queue with cooldown */
    readonly cooldowns?:
      | {
          readonly declined: number;
          readonly left: number;
        }
      | undefined;
    /** Present while at least three matches, and at least the share that the deployment's option `failedShare` sets, fail at this step */
    readonly failing?:
      | {
          /** provisioner: requests for a game server fail, and are repeated until the deadline */
          readonly step: 'acceptance' | 'placement' | 'provisioner';
          readonly failed: number;
          readonly decided: number;
          /** Counted over this many minutes */
          readonly minutes: number;
        }
      | undefined;
  };
  /** Present when functions of Muster have just failed at work for this queue */
  readonly faults?:
    | {
        /** Tries to publish an event that the event bus rejected. They are repeated; webhooks, placements and deadlines are late meanwhile */
        readonly notPublished: number;
        /** Runs of `dispatch`, one a minute, that failed for this queue. Ticks may end, and what crashed ticks have left is not settled */
        readonly notDispatched: number;
        /** Counted over this many minutes */
        readonly minutes: number;
      }
    | undefined;
  /** Searches since `outcomes.since` that were cut short because their time was up. The next one continues; many mean that the queue is hard to search */
  readonly searchesCut: number;
  /** The webhooks of the queue. The numbers may be off by those of functions that were stopped; none of them decides anything */
  readonly webhooks?:
    | readonly {
        /** Without its query, which may hold a token */
        readonly url: string;
        /** failing: it has failed since its last success, or fails often. down: its receiver does not respond, so only probes are sent */
        readonly state: 'unused' | 'working' | 'failing' | 'down';
        /** Noted every ten seconds */
        readonly lastSuccessAt: string | null;
        readonly lastFailure: {
          readonly at: string;
          readonly text: string;
          /** Of the response, if there was one */
          readonly status?: number | undefined;
        } | null;
        /** Since the last success, at most one a second of each function */
        readonly failures: number;
        /** The latest results that one function has seen, 20 at most. Five failures are often */
        readonly recent?:
          | {
              readonly posted: number;
              readonly failed: number;
            }
          | undefined;
        /** Events that wait for a further try */
        readonly waiting: number;
        /** The first of these */
        readonly waitingSince: string | null;
      }[]
    | undefined;
  /** The experiment on the queue, until a day after its end */
  readonly experiment?:
    | {
        readonly name: string;
        /** `running`: it has begun, or begins within two minutes. `ended`: after its last block, or by a request. `stopped`: by its `stop`, or because the queue has changed */
        readonly state: 'running' | 'ended' | 'stopped';
        /** Why it ended before its last block */
        readonly reason?: string | undefined;
        /** The variant in force */
        readonly variant?: string | undefined;
      }
    | undefined;
  /** Present while the queue, or one of its buckets, is not searched because its ticks fail. Tickets still time out. It ends with the next tick that succeeds, or when the definition is changed */
  readonly setAside?:
    | {
        /** Ticks in a row that have not succeeded */
        readonly failedTicks: number;
        readonly lastFailureAt: string;
        /** The next tick from this time on searches again */
        readonly retryAt: string;
        readonly reason: string;
      }
    | undefined;
  /** Present while the pings of many players are missing at once: the service may not hear them. Until then no ticket is cancelled because pings are missing, and it is prolonged while they are */
  readonly presenceHeldUntil?: string | undefined;
  /** Where the matches of about the last hour are played; with a latency rule */
  readonly regions?:
    | Readonly<
        Record<
          string,
          {
            /** Of all matches */
            readonly share: number;
            /** The mean wait of its matched tickets */
            readonly waitSecondsMean: number;
          }
        >
      >
    | undefined;
  /** The rules by name, in a queue with rules; null before the first match */
  readonly rules?:
    | Readonly<
        Record<
          string,
          {
            /** Of the matches of about the last hour, the share that the rule without its relaxation forbids. Present for rules that relax */
            readonly relaxedShare?: number | null | undefined;
            /** The imbalance that it adds to a match, on average. Present for rules with a cost */
            readonly costMean?: number | null | undefined;
          }
        >
      >
    | undefined;
  /** The backfills, in a queue with `backfill`. Ticks run while tickets are waiting */
  readonly backfills?:
    | {
        /** Running matches that were asking for players at the last tick */
        readonly open: number;
        /** The longest of their waits; null when none was open */
        readonly oldestWaitSeconds: number | null;
        /** Over the last backfills of each bucket that were filled, 20 at most. The time to fill is from the request until the newcomers are in the match */
        readonly filled: {
          readonly count: number;
          /** The newcomers */
          readonly players: number;
          readonly secondsToFillP50: number | null;
          readonly secondsToFillP90: number | null;
          readonly secondsToFillMax: number | null;
        };
      }
    | undefined;
  /** What players choose: sides, roles and regions. Whether their wait is bounded, estimated from the last thousand players or the last hour. Absent for a queue without choices */
  readonly choices?:
    | readonly {
        readonly of: 'sides' | 'roles' | 'regions';
        /** Recent players that were counted */
        readonly players: number;
        /** false: players wait longer and longer under every policy. null while fewer than 100 players are counted */
        readonly isBounded: boolean | null;
        /** The sides or roles that too many players insist on; empty when bounded */
        readonly overchosen: readonly string[];
        /** Present when too many insist on them only among the players of these regions */
        readonly regions?: readonly string[] | undefined;
        /** The wait is bounded if more than this many of the players per second accepted everything; 0 when bounded */
        readonly choiceFreeNeeded: number;
        /** The same as a share of all players */
        readonly choiceFreeShare: number;
        /** The same in a sentence; null when bounded */
        readonly warning: string | null;
      }[]
    | undefined;
}

export interface LatestMatches {
  readonly matches: readonly MatchSummary[];
}

export interface MatchSummary {
  readonly matchId: string;
  readonly queue: string;
  readonly status: 'REQUIRES_ACCEPTANCE' | 'PLACING' | 'COMPLETED' | 'FAILED';
  readonly createdAt: string;
  /** In the order of the queue's definition; two equal teams have no order */
  readonly teams: readonly {
    /** Present when the queue has a list of teams */
    readonly name?: string | undefined;
    readonly players: readonly {
      readonly playerId: string;
      /** Absent for a bot */
      readonly ticketId?: string | undefined;
      readonly role?: string | undefined;
      readonly bot?: true | undefined;
      /** The attributes that its ticket was posted with; to a player, those that are `visibleTo` match */
      readonly attributes?: Readonly<Record<string, number | string | readonly string[]>> | undefined;
    }[];
  }[];
  /** alpha · teamGap + skillSpread; 0 is perfect */
  readonly imbalance: number;
  /** d_p, the greatest difference between two teams; 0 is equal */
  readonly teamGap: number;
  /** v_q, how much the skills of all players differ; 0 is equal */
  readonly skillSpread: number;
  /** imbalance − beta · (longest wait of its tickets, in seconds). The search minimises it; lower is better */
  readonly priority: number;
  /** A proved lower bound on `priority` (not on `imbalance`): no match of the players in the pool at that moment, without bots, had a lower priority. `priority − lowerBound` is the most that this match can be worse than the best one */
  readonly lowerBound: number;
  /** Whether the match is proved to have the lowest priority of all that its `lowerBound` is about: `lowerBound` = `priority` */
  readonly optimal: boolean;
  /** Where the match is played: of the regions that the latency rule permits, the one with the least latency for its worst player */
  readonly region?: string | undefined;
  /** By name: what rules of the queue cost, and what the players share; to a player, of rules that read only attributes `visibleTo` match */
  readonly rules?:
    | Readonly<
        Record<
          string,
          {
            /** What the rule added to `imbalance` */
            readonly cost?: number | undefined;
            /** What the players share under it */
            readonly values?: readonly string[] | undefined;
          }
        >
      >
    | undefined;
  /** The game server, without the tokens of its players */
  readonly assignment?:
    | {
        /** Host name or IP address */
        readonly address: string;
        readonly port?: number | undefined;
        readonly sessionId?: string | undefined;
      }
    | undefined;
  /** While REQUIRES_ACCEPTANCE: the deadline, and the tickets that have accepted. Of a match that FAILED because it was not accepted also the ticket that declined, and those that had not answered */
  readonly acceptance?:
    | {
        readonly deadline: string;
        readonly accepted: readonly string[];
        readonly declined?: readonly string[] | undefined;
        readonly unanswered?: readonly string[] | undefined;
      }
    | undefined;
  /** Why it FAILED */
  readonly reason?: string | undefined;
  /** Why it FAILED, for programs. DECLINED: a ticket has declined. NOT_ACCEPTED: not every ticket has answered in time. PLACEMENT_REFUSED: its provisioner has refused it. PLACEMENT_TIMED_OUT: it had no assignment in time. PLAYER_LEFT: a player was gone before it was accepted or placed */
  readonly reasonCode?:
    | 'DECLINED'
    | 'NOT_ACCEPTED'
    | 'PLACEMENT_REFUSED'
    | 'PLACEMENT_TIMED_OUT'
    | 'PLAYER_LEFT'
    | undefined;
  /** Present when its tickets return to the queue, because it was not placed. Those of which it is the third such match are FAILED; if a player had left, the tickets of those who left are CANCELLED */
  readonly requeued?: true | undefined;
  /** The version of `teams`: absent in the first; each backfill makes the next, from 2 up */
  readonly roster?: number | undefined;
  /** The tickets that the last backfill added. Absent in the first roster */
  readonly newTicketIds?: readonly string[] | undefined;
  /** When the match was ended for good */
  readonly endedAt?: string | undefined;
  /** The ladder whose ratings its result changes */
  readonly ladder?: string | undefined;
  /** The chance of each team to win, as the ladder predicts it. They sum to 1. Absent when the ratings could not be read */
  readonly expected?: readonly number[] | undefined;
  readonly result?: Result | undefined;
  /** Present once its result is rated: each player. To a player, their own alone */
  readonly ratings?:
    | readonly {
        readonly playerId: string;
        readonly before: {
          readonly mean: number;
          readonly deviation: number;
        };
        readonly after: {
          readonly mean: number;
          readonly deviation: number;
        };
      }[]
    | undefined;
}

export interface WaitingSample {
  /** In order of skill */
  readonly waiting: readonly {
    /** The mean skill of its players */
    readonly skill: number;
    /** The number of its players */
    readonly size: number;
    /** The roles that its players accept, each once; absent when they accept every role */
    readonly roles?: readonly string[] | undefined;
    /** The region with the least latency for its worst player; absent when its players have no latency to a common region */
    readonly region?: string | undefined;
    /** How long it has been waiting */
    readonly ageSeconds: number;
  }[];
  /** true: these are all waiting tickets. false: more are waiting; the sample is taken evenly along the skills, so rare skills have more than their share */
  readonly isComplete: boolean;
}

export interface PlayerCooldowns {
  readonly cooldowns: readonly PlayerCooldown[];
}

export interface PlayerCooldown {
  readonly queue: string;
  readonly playerId: string;
  /** When the player gets a ticket again; absent when that is now */
  readonly until?: string | undefined;
  /** Of the offences that it is for */
  readonly kind?: 'decline' | 'leave' | undefined;
  /** The same in a sentence */
  readonly reason?: string | undefined;
  /** Those that still count, the latest first */
  readonly offences: readonly {
    /** decline: the match was declined, or not answered in time. leave: the studio said so */
    readonly kind: 'decline' | 'leave';
    readonly matchId: string;
    readonly at: string;
  }[];
}

export interface QueueVersions {
  readonly versions: readonly QueueVersion[];
}

export interface QueueVersion {
  /** From 1. A queue that is created again after its removal begins at 1 */
  readonly version: number;
  /** When it was put; null if an earlier version of Muster has stored it */
  readonly changedAt: string | null;
  /** Who has put it: the ARN of an AWS identity, the `sub` of a token, or `deployment`; null if this is unknown */
  readonly changedBy: string | null;
  /** The version whose definition it restored */
  readonly restored?: number | undefined;
  /** Of the version in force, once a deployment has put the file of the queue: whether it is what the last deployment has put, or found in force. false: it was changed since. A deployment keeps such a change unless the file changes too, which is a conflict; one that takes back the deployment before it keeps it in a conflict as well */
  readonly isDeployed?: boolean | undefined;
  /** For `If-Match` of a request that changes or closes the queue */
  readonly etag: string;
  readonly definition: QueueDefinition;
}

export interface Experiment {
  readonly queue: string;
  readonly definition: ExperimentDefinition;
  /** `running`: it has begun, or begins within two minutes. `ended`: after its last block, or by a request. `stopped`: by its `stop`, or because the queue has changed */
  readonly state: 'running' | 'ended' | 'stopped';
  /** Why it ended before its last block */
  readonly reason?: string | undefined;
  readonly beginsAt: string;
  /** When its last block ends, or when it ended */
  readonly endsAt: string;
  /** The order of the variants in each round follows from it */
  readonly seed: number;
  /** For how long at both ends of a block tickets are not counted */
  readonly burnInMinutes: number;
  readonly rounds: {
    readonly planned: number;
    /** Those of which all blocks are in the results: a block is when no counted ticket of it can still be waiting */
    readonly counted: number;
  };
  /** The variant that the queue is searched by now; null when none is */
  readonly inForce: {
    readonly variant: string;
    readonly block: number;
    readonly until: string;
  } | null;
  /** The players that the results count */
  readonly players: number;
  /** The last 100 blocks that the results count, the oldest first */
  readonly blocks: readonly {
    /** From 0 up */
    readonly block: number;
    readonly variant: string;
    readonly from: string;
    readonly until: string;
    readonly players: number;
    /** The mean wait of its players; null without any */
    readonly waitSeconds: number | null;
  }[];
  /** Each variant but the first, by measure: waits in seconds, the imbalance of matches, and the shares of players who cancel and who time out */
  readonly variants: readonly {
    readonly name: string;
    readonly measures: Readonly<Record<string, ExperimentEffect>>;
  }[];
}

export interface ExperimentEffect {
  /** The mean over the players of the first variant */
  readonly control: number;
  /** The mean over the players of this variant */
  readonly variant: number;
  /** `variant` − `control` */
  readonly difference: number;
  /** The lower end of the 95 % interval of the difference; null while there are too few rounds */
  readonly low: number | null;
  /** The upper end */
  readonly high: number | null;
  /** How likely a difference this far from 0 is when the variants differ in nothing */
  readonly pValue: number;
  /** The rounds in which both variants have players */
  readonly rounds: number;
  /** How many more days it takes to see a difference of 5 % four times in five; null without an interval */
  readonly moreDaysToSee5Percent: number | null;
  /** `real`: 0 is outside the interval, and the experiment has run to its end. `unclear`: it is inside, or there are blocks to come, or it ended early. `tooFewRounds`: there is no interval yet */
  readonly verdict: 'real' | 'unclear' | 'tooFewRounds';
  /** The same in one sentence */
  readonly text: string;
}

export interface WebhookTests {
  readonly eventId: string;
  readonly webhooks: readonly {
    /** Without its query */
    readonly url: string;
    readonly isDelivered: boolean;
    /** Until the response, or until it failed */
    readonly milliseconds: number;
    /** Of the response, if there was one */
    readonly status?: number | undefined;
    /** The first 500 letters of the response */
    readonly body?: string | undefined;
    /** Why it was not delivered */
    readonly error?: string | undefined;
  }[];
}

export interface MatchResult {
  readonly queue: string;
  readonly matches: readonly {
    /** In the order of the queue's definition; two equal teams have no order */
    readonly teams: readonly {
      /** Present when the queue has a list of teams */
      readonly name?: string | undefined;
      readonly players: readonly {
        readonly playerId: string;
        /** Absent for a bot */
        readonly ticketId?: string | undefined;
        readonly role?: string | undefined;
        readonly bot?: true | undefined;
        /** The attributes that its ticket was posted with; to a player, those that are `visibleTo` match */
        readonly attributes?: Readonly<Record<string, number | string | readonly string[]>> | undefined;
      }[];
    }[];
    /** alpha · teamGap + skillSpread; 0 is perfect */
    readonly imbalance: number;
    /** d_p, the greatest difference between two teams; 0 is equal */
    readonly teamGap: number;
    /** v_q, how much the skills of all players differ; 0 is equal */
    readonly skillSpread: number;
    /** imbalance − beta · (longest wait of its tickets, in seconds). The search minimises it; lower is better */
    readonly priority: number;
    /** A proved lower bound on `priority` (not on `imbalance`): no match of the players in the pool at that moment, without bots, had a lower priority. `priority − lowerBound` is the most that this match can be worse than the best one */
    readonly lowerBound: number;
    /** Whether the match is proved to have the lowest priority of all that its `lowerBound` is about: `lowerBound` = `priority` */
    readonly optimal: boolean;
    /** Where the match is played: of the regions that the latency rule permits, the one with the least latency for its worst player */
    readonly region?: string | undefined;
    /** By name: what rules of the queue cost, and what the players share; to a player, of rules that read only attributes `visibleTo` match */
    readonly rules?:
      | Readonly<
          Record<
            string,
            {
              /** What the rule added to `imbalance` */
              readonly cost?: number | undefined;
              /** What the players share under it */
              readonly values?: readonly string[] | undefined;
            }
          >
        >
      | undefined;
  }[];
  readonly waiting: readonly {
    readonly ticketId: string;
    readonly reason: string;
  }[];
  /** Of `muster match --backfills`: running matches with their newcomers */
  readonly backfilled?:
    | readonly {
        readonly backfillId: string;
        readonly newTicketIds: readonly string[];
        /** In the order of the queue's definition; two equal teams have no order */
        readonly teams: readonly {
          /** Present when the queue has a list of teams */
          readonly name?: string | undefined;
          readonly players: readonly {
            readonly playerId: string;
            /** Absent for a bot */
            readonly ticketId?: string | undefined;
            readonly role?: string | undefined;
            readonly bot?: true | undefined;
            /** The attributes that its ticket was posted with; to a player, those that are `visibleTo` match */
            readonly attributes?: Readonly<Record<string, number | string | readonly string[]>> | undefined;
          }[];
        }[];
        /** alpha · teamGap + skillSpread; 0 is perfect */
        readonly imbalance: number;
        /** d_p, the greatest difference between two teams; 0 is equal */
        readonly teamGap: number;
        /** v_q, how much the skills of all players differ; 0 is equal */
        readonly skillSpread: number;
        /** imbalance − beta · (longest wait of its tickets, in seconds). The search minimises it; lower is better */
        readonly priority: number;
        /** A proved lower bound on `priority` (not on `imbalance`): no match of the players in the pool at that moment, without bots, had a lower priority. `priority − lowerBound` is the most that this match can be worse than the best one */
        readonly lowerBound: number;
        /** Whether the match is proved to have the lowest priority of all that its `lowerBound` is about: `lowerBound` = `priority` */
        readonly optimal: boolean;
        /** What the newcomers add to the least imbalance that the match could have had */
        readonly increment: number;
        /** Where the match is played: of the regions that the latency rule permits, the one with the least latency for its worst player */
        readonly region?: string | undefined;
        /** By name: what rules of the queue cost, and what the players share; to a player, of rules that read only attributes `visibleTo` match */
        readonly rules?:
          | Readonly<
              Record<
                string,
                {
                  /** What the rule added to `imbalance` */
                  readonly cost?: number | undefined;
                  /** What the players share under it */
                  readonly values?: readonly string[] | undefined;
                }
              >
            >
          | undefined;
      }[]
    | undefined;
  /** Of `muster match --backfills`: running matches that got no players */
  readonly unfilled?:
    | readonly {
        readonly backfillId: string;
        readonly reason: string;
      }[]
    | undefined;
  /** The search of a dry run reached its limit: there may be more matches, and better ones */
  readonly cut?: true | undefined;
}

export interface LadderList {
  /** Sorted by name */
  readonly ladders: readonly LadderDefinitionOutput[];
  /** Ladders whose definition the deployed version cannot read, usually after a rollback. `PUT /ladders/{ladder}` replaces it */
  readonly unreadable?: readonly string[] | undefined;
}

export interface LadderVersions {
  readonly versions: readonly LadderVersion[];
}

export interface LadderVersion {
  /** From 1. A ladder that is created again after its removal begins at 1 */
  readonly version: number;
  /** When it was put; null if an earlier version of Muster has stored it */
  readonly changedAt: string | null;
  /** Who has put it: the ARN of an AWS identity, the `sub` of a token, or `deployment`; null if this is unknown */
  readonly changedBy: string | null;
  /** The version whose definition it restored */
  readonly restored?: number | undefined;
  /** Of the version in force, once a deployment has put the file of the ladder: whether it is what the last deployment has put, or found in force. false: it was changed since. A deployment keeps such a change unless the file changes too, which is a conflict; one that takes back the deployment before it keeps it in a conflict as well */
  readonly isDeployed?: boolean | undefined;
  /** For `If-Match` of a request that changes or removes the ladder */
  readonly etag: string;
  readonly definition: LadderDefinitionOutput;
}

export interface LadderOdds {
  readonly ladder: string;
  /** The rated matches that the other numbers are from */
  readonly results: number;
  /** Corrects how sure odds from ratings are. 1 changes nothing; below 1, the ratings alone are too sure. Learnt from results */
  readonly slope: number;
  /** Of the odds; 0 is perfect. null without results */
  readonly logLoss: number | null;
  /** Of the odds; 0 is perfect. null without results */
  readonly brier: number | null;
  /** The same, if all teams had had the same odds */
  readonly alike: {
    readonly logLoss: number | null;
    readonly brier: number | null;
  };
  /** Ten bins of odds. Of two teams one is counted */
  readonly bins: readonly {
    readonly from: number;
    readonly to: number;
    readonly count: number;
    /** The mean of the odds in this bin */
    readonly predicted: number | null;
    /** The share that has won; a draw is shared */
    readonly happened: number | null;
    /** The lower end of its interval of 95% */
    readonly low: number | null;
    /** The upper end of its interval of 95% */
    readonly high: number | null;
  }[];
}

export interface RatingList {
  readonly ratings: readonly Rating[];
}

export interface Rating {
  readonly playerId: string;
  /** What the skill is expected to be */
  readonly mean: number;
  /** How little is known of it, as a standard deviation */
  readonly deviation: number;
  /** 0: a new player, with the rating that the ladder begins with */
  readonly matches: number;
  /** How many of the ladder's placement matches are left; 0 when they are over, or it has none */
  readonly placement: number;
  /** When the last rated match ended, or the rating was imported. Absent for a new player */
  readonly updatedAt?: string | undefined;
  /** The means after the latest matches, oldest first, at most 50: to the minute, with four digits */
  readonly recent: readonly {
    readonly at: string;
    readonly mean: number;
  }[];
}

export interface DeadLetters {
  readonly consumers: readonly {
    /** As in the name of its alarm: `Notify` for the alarm `…NotifyDeadLetters…` */
    readonly consumer: string;
    /** The messages that wait to be redriven or purged, about a minute ago at most */
    readonly messages: number;
  }[];
}

export interface PlayerData {
  readonly playerId: string;
  /** With this player alone, and as `GET /tickets/{ticketId}` returns them otherwise */
  readonly tickets: readonly Ticket[];
  readonly matches: readonly {
    readonly matchId: string;
    readonly queue: string;
    readonly status: 'REQUIRES_ACCEPTANCE' | 'PLACING' | 'COMPLETED' | 'FAILED';
    readonly createdAt: string;
    /** Where the match is played: of the regions that the latency rule permits, the one with the least latency for its worst player */
    readonly region?: string | undefined;
    /** Why it FAILED */
    readonly reason?: string | undefined;
    /** Why it FAILED, for programs. DECLINED: a ticket has declined. NOT_ACCEPTED: not every ticket has answered in time. PLACEMENT_REFUSED: its provisioner has refused it. PLACEMENT_TIMED_OUT: it had no assignment in time. PLAYER_LEFT: a player was gone before it was accepted or placed */
    readonly reasonCode?:
      | 'DECLINED'
      | 'NOT_ACCEPTED'
      | 'PLACEMENT_REFUSED'
      | 'PLACEMENT_TIMED_OUT'
      | 'PLAYER_LEFT'
      | undefined;
    /** When the match was ended for good */
    readonly endedAt?: string | undefined;
    /** Absent for a player of whom only a token is stored */
    readonly seat?:
      | {
          readonly playerId: string;
          /** Absent for a bot */
          readonly ticketId?: string | undefined;
          readonly role?: string | undefined;
          readonly bot?: true | undefined;
          /** The attributes that its ticket was posted with; to a player, those that are `visibleTo` match */
          readonly attributes?: Readonly<Record<string, number | string | readonly string[]>> | undefined;
        }
      | undefined;
    /** The player's token of the game server */
    readonly token?: string | undefined;
    /** When a backfill added the player */
    readonly joinedAt?: string | undefined;
    /** Without `rank` it is void */
    readonly result?:
      | {
          readonly at: string;
          /** That of the player's team */
          readonly rank?: number | undefined;
          /** The part of the match that the player was there for (default 1) */
          readonly weight?: number | undefined;
        }
      | undefined;
    /** What the result has changed: before and after the match */
    readonly rating?:
      | {
          readonly before: {
            readonly mean: number;
            readonly deviation: number;
          };
          readonly after: {
            readonly mean: number;
            readonly deviation: number;
          };
        }
      | undefined;
  }[];
  readonly backfills: readonly {
    readonly backfillId: string;
    readonly matchId: string;
    readonly queue: string;
    readonly player: TicketPlayer;
  }[];
  /** Whom the player met, in queues with a `recent` rule: the record of the queue, and what a ticket or a backfill has of it */
  readonly meetings: readonly {
    readonly queue: string;
    readonly met: readonly {
      readonly playerId: string;
      readonly at: string;
    }[];
  }[];
  /** The last ticket of the player in queues with `onePlace`; `queue` is * for those with `onePlace: "service"` together */
  readonly places: readonly {
    readonly queue: string;
    readonly ticketId: string;
  }[];
  /** What the player has done in queues with `cooldown`, oldest first */
  readonly cooldowns: readonly {
    readonly queue: string;
    readonly offences: readonly {
      /** decline: the match was declined, or not answered in time. leave: the studio said so */
      readonly kind: 'decline' | 'leave';
      readonly matchId: string;
      readonly at: string;
    }[];
    /** Offences up to this time do not count any more */
    readonly forgivenAt?: string | undefined;
  }[];
  /** The player's ratings, by ladder */
  readonly ratings: readonly {
    readonly ladder: string;
    readonly mean: number;
    readonly deviation: number;
    readonly matches: number;
    readonly updatedAt: string;
    /** The means after the latest matches, oldest first, at most 50: to the minute, with four digits */
    readonly recent: readonly {
      readonly at: string;
      readonly mean: number;
    }[];
  }[];
  /** The items, of this part and those before it, that this version of Muster cannot read, or whose match it cannot read. They are not in the data */
  readonly unreadable: number;
  /** Repeat the request with it to read the rest */
  readonly continuation?: string | undefined;
}

export interface PlayerErasure {
  readonly playerId: string;
  /** true: all tables were read from the beginning to the end, and none named the player */
  readonly isErased: boolean;
  /** The items that were erased or blanked since the beginning, by this and the requests before it */
  readonly changed: number;
  /** The items of matches that are not accepted or placed yet, or that ask for players. Repeat the request when these have ended, after an hour at most for a match */
  readonly pending: number;
  /** The items that this version of Muster cannot read, or whose match it cannot read, as after a rollback. They stay. Repeat the request with the version that wrote them; each expires with its table */
  readonly unreadable: number;
  /** Repeat the request with it: the tables were not read to their end */
  readonly continuation?: string | undefined;
}

export interface TicketList {
  readonly tickets: readonly Ticket[];
}

export interface Backfill {
  readonly backfillId: string;
  readonly matchId: string;
  readonly queue: string;
  readonly status: 'QUEUED' | 'COMPLETED' | 'CANCELLED' | 'TIMED_OUT';
  readonly enqueuedAt: string;
  /** When COMPLETED: the version of the roster that has the newcomers */
  readonly roster?: number | undefined;
  /** Why it was CANCELLED or TIMED_OUT */
  readonly reason?: string | undefined;
}

export interface LadderDefinitionOutput {
  readonly name: string;
  /** The model of openskill that rates the matches */
  readonly model: 'plackett-luce' | 'bradley-terry' | 'thurstone-mosteller';
  /** The rating of a player without a match, in the studio's own scale */
  readonly initial: {
    readonly mean: number;
    readonly deviation: number;
  };
  /** How much chance is in a team's result: the standard deviation of its performance */
  readonly beta: number;
  /** How much a skill changes by a match and in a day, as standard deviations */
  readonly drift: {
    readonly perGame: number;
    readonly perDay: number;
  };
  /** How many matches the placement of a new player takes (default 0). Reads of a rating say how many are left; they change neither matches nor ratings */
  readonly placementMatches?: number | undefined;
}

/** Every webhook that this version knows. */
export type WebhookEvent =
  | TicketQueuedWebhook
  | TicketCancelledWebhook
  | TicketTimedOutWebhook
  | TicketFailedWebhook
  | MatchFoundWebhook
  | MatchAcceptedWebhook
  | MatchAssignedWebhook
  | MatchFailedWebhook
  | MatchBackfilledWebhook
  | MatchEndedWebhook
  | MatchRatedWebhook;
