import { App, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Matchmaker, type MatchmakerProps } from 'muster';

const app = new App({ analyticsReporting: false });
const stack = new Stack(app, 'Studio');
const backend = new Role(stack, 'Backend', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
const props: MatchmakerProps = { stage: 'prod', accessLog: false };
const matchmaker = new Matchmaker(stack, 'Matchmaker', props);
matchmaker.grantBackend(backend);
const { template } = app.synth().getStackArtifact(stack.artifactId);
const types = Object.values<{ Type: string }>(template.Resources).map(({ Type }) => Type);
console.log(types.filter((type) => type === 'AWS::Lambda::Function').length);
