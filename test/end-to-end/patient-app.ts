import type { Synthesized } from '../../lib/infra/synthesize.ts';
import { builtApp } from '../infra/built-app.ts';

/** Longer than any function takes on the busiest machine, in seconds. */
const TIMEOUT_SECONDS = 900;
/** A bucket is split at so small a share of its capacity that a batch of tickets suffices. */
const BUCKET_CAPACITY = '0.005';

/**
 * An app for tests of everything but time limits: on a busy machine, where several functions start at once, a request takes longer
 * than the time-outs of ten seconds that they have on AWS.
 */
export function patient(app: Synthesized): Synthesized {
  for (const { Properties } of functionsOf(app)) Properties.Timeout = TIMEOUT_SECONDS;
  return app;
}

/** A patient app with the rights that the app with tokens needs. */
export function patientApp(): Synthesized {
  const app = patient(builtApp('tokens'));
  for (const { Properties } of functionsOf(app)) {
    const { Variables } = Properties.Environment ?? {};
    if (Variables?.BUCKET_CAPACITY !== undefined) Variables.BUCKET_CAPACITY = BUCKET_CAPACITY;
  }
  return app;
}

const functionsOf = ({ template }: Synthesized) =>
  Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
