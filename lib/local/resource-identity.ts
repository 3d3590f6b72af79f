/** The local names and ARNs of resources, and the values of Ref and Fn::GetAtt for them. */
import { ACCOUNT_ID, REGION, secretArn } from './local-account.ts';

/** The URLs of the local servers, each without a trailing slash. */
export interface Endpoints {
  readonly awsEndpoint: string;
  readonly apiUrl: string;
}

export interface Identity {
  /** Its name property, or its logical id. */
  readonly name: string;
  /** '' for a resource without an ARN. */
  readonly arn: string;
  /** The value of Ref. */
  readonly ref: string;
  /** The values of Fn::GetAtt. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** @param property reads a property of the resource, with its intrinsic functions resolved */
export function identify(
  type: string,
  logicalId: string,
  endpoints: Endpoints,
  property: (name: string) => unknown,
): Identity {
  const nameProperty = NAME_PROPERTIES[type];
  const named = nameProperty === undefined ? undefined : property(nameProperty);
  const name = typeof named === 'string' ? named : logicalId;
  const arnOf = (service: string, rest: string) => `arn:aws:${service}:${REGION}:${ACCOUNT_ID}:${rest}`;
  const withArn = (arn: string, ref = name, attributes: Record<string, string> = {}): Identity => ({
    name,
    arn,
    ref,
    attributes: { Arn: arn, ...attributes },
  });
  switch (type) {
    case 'AWS::ApiGatewayV2::Api':
      return {
        name,
        arn: `arn:aws:execute-api:${REGION}:${ACCOUNT_ID}:${name}`,
        ref: name,
        attributes: { ApiEndpoint: endpointOf(property('ProtocolType'), endpoints), ApiId: name },
      };
    case 'AWS::DynamoDB::GlobalTable':
    case 'AWS::DynamoDB::Table': {
      const arn = arnOf('dynamodb', `table/${name}`);
      return withArn(arn, name, { StreamArn: `${arn}/stream/2026-01-01T00:00:00.000` });
    }
    case 'AWS::Events::EventBus':
      return withArn(arnOf('events', `event-bus/${name}`), name, { Name: name });
    case 'AWS::Events::Rule': {
      const bus = property('EventBusName');
      const busName = typeof bus === 'string' ? bus.split('/').at(-1) : undefined;
      const path = busName === undefined || busName === 'default' ? name : `${busName}/${name}`;
      return withArn(arnOf('events', `rule/${path}`), path);
    }
    case 'AWS::IAM::Role':
      return withArn(`arn:aws:iam::${ACCOUNT_ID}:role/${name}`);
    case 'AWS::Lambda::Function':
      return withArn(arnOf('lambda', `function:${name}`));
    case 'AWS::Logs::LogGroup':
      return withArn(`${arnOf('logs', `log-group:${name}`)}:*`);
    case 'AWS::SecretsManager::Secret': {
      const arn = secretArn(name);
      return { name, arn, ref: arn, attributes: { Id: arn } };
    }
    case 'AWS::SQS::Queue': {
      const url = `${endpoints.awsEndpoint}/${ACCOUNT_ID}/${name}`;
      return withArn(arnOf('sqs', name), url, { QueueName: name, QueueUrl: url });
    }
    default:
      return { name, arn: '', ref: name, attributes: {} };
  }
}

/** The WebSocket API is on the server of the HTTP API, at the path of its stage. */
function endpointOf(protocol: unknown, { apiUrl }: Endpoints): string {
  return protocol === 'WEBSOCKET' ? apiUrl.replace(/^http/, 'ws') : apiUrl;
}

/** The property that names a resource, by its type. Resources of other types are named by their logical id. */
const NAME_PROPERTIES: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Events::EventBus': 'Name',
  'AWS::Events::Rule': 'Name',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::SecretsManager::Secret': 'Name',
  'AWS::SQS::Queue': 'QueueName',
};
