import ipaddr from 'ipaddr.js';
import type { FieldProblem } from './problem.ts';
import type { QueueDefinition } from './queue-definition.ts';

/** Why a deployment on AWS may not call a URL, judged by the URL alone; undefined if it may. */
export function refusalOf(url: URL): string | undefined {
  if (url.protocol !== 'https:') return `expected https, got ${url.protocol.slice(0, -1)}`;
  const host = hostOf(url);
  if (isNameOfThisMachine(host) || (ipaddr.isValid(host) && !isPublic(host)))
    return `expected a public address, got ${host}`;
  return undefined;
}

/** Whether a URL leads to the machine itself, which only the local service may call. */
export function isLoopback(url: URL): boolean {
  const host = hostOf(url);
  return isNameOfThisMachine(host) || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}

/** The URLs that a definition lets the service call, by their fields. */
function urlsOf({ webhooks = [], provisioner }: QueueDefinition): { pointer: string; url: string }[] {
  const urls = webhooks.map(({ url }, i) => ({ pointer: `#/webhooks/${i}/url`, url }));
  if (provisioner?.type === 'http') urls.push({ pointer: '#/provisioner/url', url: provisioner.url });
  if (provisioner?.type === 'agones') urls.push(...allocatorsOf(provisioner.allocator));
  return urls;
}

/** The URLs of a definition that may not be called. */
export function urlProblems(
  definition: QueueDefinition,
  refuse: (url: URL) => string | undefined,
): FieldProblem[] {
  return urlsOf(definition).flatMap(({ pointer, url }) => {
    const detail = refuse(new URL(url));
    return detail === undefined ? [] : [{ pointer, detail }];
  });
}

/**
 * Whether an address is public. IPv6 has public addresses in 2000::/3 alone; in particular ::/96, the IPv4-compatible
 * addresses such as ::127.0.0.1, is outside. Ranges that lead to an IPv4 address (mapped, NAT64, 6to4, Teredo) are never
 * public, whatever address they carry.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(PUBLIC_IPV6));
}

const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** The host without trailing dots, which do not change where a name leads. */
function hostOf(url: URL): string {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  let end = host.length;
  while (host[end - 1] === '.') end--;
  return host.slice(0, end);
}

function isNameOfThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function allocatorsOf(allocator: string | Readonly<Record<string, string>>) {
  const pointer = '#/provisioner/allocator';
  if (typeof allocator === 'string') return [{ pointer, url: allocator }];
  return Object.entries(allocator).map(([region, url]) => ({ pointer: `${pointer}/${region}`, url }));
}
