import { VirtualTime } from '../virtual-time.ts';
import { type LaneOptions, WebhookLanes } from './webhook-lanes.ts';

/** How often Lambda polls for messages. */
const POLL_MS = 10;
/** The same while there are no new events. */
const REST_POLL_MS = 100;

/** Webhook traffic in its own virtual time. */
export class WebhookTraffic extends WebhookLanes {
  readonly time: VirtualTime;

  constructor(options: LaneOptions) {
    const time = new VirtualTime(0);
    super(time, options);
    this.time = time;
  }

  /** Sends events at a rate to the receivers in turn, for some time. */
  traffic(perSecond: number, forMs: number, receiverOf: (n: number) => number): Promise<void> {
    return this.time.run(async () => {
      const startMs = this.time.nowMs;
      for (let n = 0; this.time.nowMs < startMs + forMs; ) {
        for (; n < ((this.time.nowMs - startMs) / 1_000) * perSecond; n++) this.send(receiverOf(n));
        this.poll();
        await this.time.sleep(POLL_MS);
      }
    });
  }

  /** Continues without new events, until no message is left or the time is over. */
  rest(forMs: number): Promise<void> {
    return this.time.run(async () => {
      const untilMs = this.time.nowMs + forMs;
      while (this.time.nowMs < untilMs) {
        this.poll();
        const lanes = [this.first, this.slow];
        const isBusy = lanes.some(({ running }) => running > 0);
        const next = lanes.flatMap(({ messages }) => messages.map(({ dueMs }) => dueMs));
        if (!isBusy && next.length === 0) return;
        const idleMs = isBusy ? REST_POLL_MS : Math.min(...next) - this.time.nowMs;
        await this.time.sleep(Math.max(POLL_MS, idleMs));
      }
    });
  }
}
