import type { Synthesized } from '../../lib/infra/synthesize.ts';
import { builtApp } from '../infra/built-app.ts';

/** Longer than any function takes on the busiest machine, in seconds. */
const TIMEOUT_SECONDS = 900;
/** A bucket is split at so small a share of its capacity that a batch of tickets suffices. */
const BUCKET_CAPACITY = '0.005';

/**
 * The app for tests of everything but time limits: on a busy machine, where several functions start at once, a request takes longer
 * than the time-outs of ten seconds that they have on AWS. It has the rights that the app with tokens needs.
 */
export function patientApp(): Synthesized {
  const app = builtApp('tokens');
  for (const { Type, Properties } of Object.values(app.template.Resources)) {
    if (Type !== 'AWS::Lambda::Function') continue;
    Properties.Timeout = TIMEOUT_SECONDS;
    const { Variables } = Properties.Environment ?? {};
    if (Variables?.BUCKET_CAPACITY !== undefined) Variables.BUCKET_CAPACITY = BUCKET_CAPACITY;
  }
  return app;
}
