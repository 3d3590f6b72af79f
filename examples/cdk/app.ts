import { App } from 'aws-cdk-lib';
import { StudioStack } from './stack.ts';

/** `npx cdk deploy --app "node examples/cdk/app.ts"`, with your own fleets, address and issuer. */
const app = new App();
new StudioStack(app, 'Studio', {
  fleets: ['arn:aws:gamelift:eu-west-1::fleet/fleet-00000000-0000-0000-0000-000000000000'],
  onCall: 'on-call@studio.example',
  issuer: 'https://login.studio.example/',
});
