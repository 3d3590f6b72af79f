/** Wakes waiters when something changes, and all of them on shutdown. */
export function makeWakeSignal() {
  let changed = false;
  let stopped = false;
  const sleepers = new Set<() => void>();
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const wakeUp = () => {
        clearTimeout(timer);
        sleepers.delete(wakeUp);
        resolve();
      };
      const timer = setTimeout(wakeUp, ms);
      sleepers.add(wakeUp);
    });
  const wakeAll = () => {
    for (const wakeUp of [...sleepers]) wakeUp();
  };
  return {
    get stopped() {
      return stopped;
    },
    wake() {
      changed = true;
      wakeAll();
    },
    stop() {
      stopped = true;
      wakeAll();
    },
    /** Waits at most this long for a change. Returns whether there was one since the last call. */
    async woken(ms: number): Promise<boolean> {
      if (!changed && !stopped) await sleep(ms);
      const woken = changed;
      changed = false;
      return woken;
    },
    /** Waits this long, or until shutdown. */
    async pause(ms: number): Promise<void> {
      const untilMs = Date.now() + ms;
      while (!stopped && Date.now() < untilMs) await sleep(untilMs - Date.now());
    },
  };
}

export type WakeSignal = ReturnType<typeof makeWakeSignal>;
