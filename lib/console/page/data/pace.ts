/** The URL of the service that the console passes requests on to. */
export const serviceUrl = document.querySelector<HTMLMetaElement>('meta[name=muster-service]')?.content ?? '';

/** Whether the service runs on this machine, where requests cost nothing. */
const isLocal = /^https?:\/\/(127\.|localhost[:/])/.test(serviceUrl);

/** A pause between requests: as given for a service on this machine, longer for one that charges for requests. */
export function paced(ms: number): number {
  return isLocal ? ms : 2.5 * ms;
}

/** The most requests per second of the overview, so that its cost has a limit however many queues there are (docs/costs.md). */
export const REQUESTS_PER_SECOND = isLocal ? 8 : 4;
