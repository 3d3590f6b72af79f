import { Problem } from '../../contract/problem.ts';
import type { DefinitionChange } from '../domain/stored-definition.ts';
import { digestOf } from '../domain/stored-definition.ts';
import type { Kind } from './definition-kind.ts';

/** A definition and the change that made it. */
interface Versioned {
  /** Absent when it cannot be read. */
  readonly definition?: object | undefined;
  readonly change: DefinitionChange;
}

/** The number of digest characters in an ETag: enough to distinguish definitions with the same number. */
const DIGEST_LENGTH = 10;

/**
 * The ETag of a definition: the number of its version and a digest. The number alone is not enough, because a queue that is
 * removed and created again restarts at 1.
 */
export function etagOf({ definition, change }: Versioned): string {
  const digest = definition === undefined ? 'unreadable' : digestOf(definition).slice(0, DIGEST_LENGTH);
  return `"${change.version}-${digest}"`;
}

const LIST = /^\s*(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*\s*$/;

/**
 * Checks the header `If-Match` of a request that changes a queue or a ladder.
 * @param inForce undefined when the definition does not exist
 * @throws Problem 400 the header is malformed, 412 another version is in force
 */
export function checkIfMatch(
  ifMatch: string,
  kind: Kind,
  name: string,
  inForce: Versioned | undefined,
): void {
  const isAny = ifMatch.trim() === '*';
  if (!isAny && !LIST.test(ifMatch))
    throw new Problem(
      400,
      `Expected If-Match to be the ETag of a definition in double quotes, as GET /${kind}s/${name} returns it, or *, got ${ifMatch}`,
    );
  if (inForce === undefined)
    throw new Problem(412, `There is no ${kind} ${name}, and the request is for ${asked(ifMatch)}.`);
  const etag = etagOf(inForce);
  if (isAny || ifMatch.split(',').some((one) => one.trim() === etag)) return;
  if (ifMatch.split(',').some((one) => one.trim() === `W/${etag}`))
    throw new Problem(
      412,
      `Version ${inForce.change.version} of ${kind} ${name} is in force, and If-Match has it as a weak ETag, which never matches: something between the client and the service has changed ${etag} to W/${etag}. Send it without W/.`,
      { headers: { etag }, extensions: { etag } },
    );
  const { version, at, by } = inForce.change;
  const since = `${at === undefined ? '' : ` since ${at}`}${by === undefined ? '' : `, put by ${by}`}`;
  throw new Problem(
    412,
    `Version ${version} of ${kind} ${name} is in force${since}, and the request is for ${asked(ifMatch)}. Read it again (GET /${kind}s/${name}) and repeat your change.`,
    { headers: { etag }, extensions: { etag } },
  );
}

/** The versions that a request names. */
function asked(ifMatch: string): string {
  const numbers = [...ifMatch.matchAll(/"(\d+)-[^"]*"/g)].map(([, number]) => number);
  return numbers.length > 0 ? `version ${numbers.join(' or ')}` : `If-Match: ${ifMatch}`;
}
