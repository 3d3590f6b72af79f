import type { Synthesized } from '../../lib/infra/synthesize.ts';
import { type AppVariant, builtApp } from '../infra/built-app.ts';

/** Longer than any function takes on the busiest machine, in seconds. */
const TIMEOUT_SECONDS = 900;

/**
 * The app for tests of everything but time limits: on a busy machine, where several functions start at once, a request takes longer
 * than the time-outs of ten seconds that they have on AWS.
 */
export function patientApp(variant: AppVariant = 'plain'): Synthesized {
  const app = builtApp(variant);
  const Resources = Object.fromEntries(
    Object.entries(app.template.Resources).map(([id, resource]) => [
      id,
      resource.Type === 'AWS::Lambda::Function'
        ? { ...resource, Properties: { ...resource.Properties, Timeout: TIMEOUT_SECONDS } }
        : resource,
    ]),
  );
  return { ...app, template: { ...app.template, Resources } };
}
