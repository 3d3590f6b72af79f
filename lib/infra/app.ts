import { AssertionError } from 'node:assert';
import { App, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks } from 'cdk-nag';
import { MusterStack } from './muster-stack.ts';
import { stackOptions } from './stack-options.ts';

// A missing option or an invalid definition is reported in one line; a stack trace helps only with a fault of Muster.
process.once('uncaughtException', (error) => {
  const isFault = [TypeError, RangeError, ReferenceError, AssertionError].some(
    (type) => error instanceof type,
  );
  console.error(isFault ? error : error.message);
  process.exit(1);
});

/** The app that `cdk` runs (see cdk.json). Fails when the stack violates a rule of cdk-nag's AwsSolutions pack. */
const app = new App();
new MusterStack(app, 'Muster', stackOptions(app.node));
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
