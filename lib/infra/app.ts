import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { MusterStack } from './muster-stack.ts';
import { stackOptions } from './stack-options.ts';

/** The app that `cdk` runs (see cdk.json). Fails when the stack violates a rule of cdk-nag's AwsSolutions pack. */
const app = new App();
new MusterStack(app, 'Muster', stackOptions(app.node));
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
