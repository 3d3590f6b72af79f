import { signal } from '@preact/signals';
import { serviceNow } from '../data/service-time.ts';

/** The time of the service, once a second, for ages that the page shows. */
export const now = signal(serviceNow());

setInterval(() => {
  if (!document.hidden) now.value = serviceNow();
}, 1_000);
