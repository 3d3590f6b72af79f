/** Wakes who waits for news, and everybody at the end. */
export function makeWakeSignal() {
  let news = false;
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
      news = true;
      wakeAll();
    },
    stop() {
      stopped = true;
      wakeAll();
    },
    /** Waits for news, at most so long; whether there was any since the last call. */
    async woken(ms: number): Promise<boolean> {
      if (!news && !stopped) await sleep(ms);
      const woken = news;
      news = false;
      return woken;
    },
    /** Waits so long, or until the end. */
    async pause(ms: number): Promise<void> {
      const untilMs = Date.now() + ms;
      while (!stopped && Date.now() < untilMs) await sleep(untilMs - Date.now());
    },
  };
}
