import { signal } from '@preact/signals';

/** This machine's time, once a second, for ages that the page shows. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);
