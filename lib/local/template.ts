/**
 * Reads a synthesized CloudFormation template as CloudFormation does, with local names, ARNs and queue URLs. Anything
 * that the local cloud does not support is an error.
 */
import { ACCOUNT_ID, REGION } from './local-account.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { type Endpoints, type Identity, identify } from './resource-identity.ts';

const STACK_NAME = 'muster';

export type Properties = Record<string, unknown>;

/** The parts of a template that the local cloud reads. */
export interface Template {
  readonly Resources?: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: Readonly<Record<string, unknown>>;
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Properties;
  readonly Condition?: string;
}

/** A resource with its local name and ARN, and its properties with every intrinsic function resolved. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  /** The local name: the name property, or the logical id. */
  readonly name: string;
  /** '' for a resource without an ARN. */
  readonly arn: string;
  /** The value of `Ref`: a queue's URL, for most other types the name. */
  readonly ref: string;
  readonly properties: Properties;
}

/** A template with all references resolved to local values. */
export interface Stack {
  /** The resources of these types, in the template's order. */
  resources(...types: readonly string[]): Resource[];
  /** The resources that a function of the stack creates, in the template's order. */
  customResources(): Resource[];
}

/**
 * @throws LocalCloudError when the template has a resource type or an intrinsic function without local counterpart, or
 * a reference to something that it does not have
 */
export function readStack(template: Template, endpoints: Endpoints): Stack {
  const resolver = new Resolver(template, endpoints);
  const resources = Object.entries(template.Resources ?? {})
    .filter(([logicalId, resource]) => isSupported(logicalId, resource))
    .map(([logicalId]) => resolver.resource(logicalId));
  return {
    resources: (...types) => resources.filter(({ type }) => types.includes(type)),
    customResources: () => resources.filter(({ type }) => isCustom(type)),
  };
}

function isCustom(type: string): boolean {
  return type === 'AWS::CloudFormation::CustomResource' || type.startsWith('Custom::');
}

/** Types that the local cloud implements. */
const SUPPORTED_TYPES = new Set([
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Authorizer',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::SecretsManager::Secret',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
]);

/** Types that are ignored because functions cannot observe them: monitoring, logs and descriptions. */
const IGNORED_TYPES = new Set([
  'AWS::CDK::Metadata',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::QueryDefinition',
  'AWS::Logs::ResourcePolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SSM::Parameter',
]);

function isSupported(logicalId: string, { Type, Condition }: TemplateResource): boolean {
  if (Condition !== undefined)
    throw new LocalCloudError(`The resource ${logicalId} has a condition, which has no local counterpart.`);
  if (SUPPORTED_TYPES.has(Type) || isCustom(Type)) return true;
  if (IGNORED_TYPES.has(Type)) return false;
  throw new LocalCloudError(
    `The resource ${logicalId} has the type ${Type}, which has no local counterpart.`,
  );
}

class Resolver {
  private readonly template: Template;
  private readonly endpoints: Endpoints;

  constructor(template: Template, endpoints: Endpoints) {
    this.template = template;
    this.endpoints = endpoints;
  }

  resource(logicalId: string): Resource {
    const { Type } = this.declared(logicalId);
    const properties = this.resolve(this.declared(logicalId).Properties ?? {}, logicalId) as Properties;
    const { name, arn, ref } = this.identity(logicalId);
    return { logicalId, type: Type, name, arn, ref, properties };
  }

  /** The value with every intrinsic function in it resolved. `where` is for error messages. */
  private resolve(value: unknown, where: string): unknown {
    if (Array.isArray(value)) {
      return value.map((item) => this.resolve(item, where)).filter((item) => item !== undefined);
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [key, argument] = entries[0] ?? [];
    if (entries.length === 1 && key !== undefined && (key === 'Ref' || key.startsWith('Fn::'))) {
      return this.intrinsic(key, argument, where);
    }
    return Object.fromEntries(
      entries
        .map(([name, item]) => [name, this.resolve(item, where)] as const)
        .filter(([, item]) => item !== undefined),
    );
  }

  private intrinsic(key: string, argument: unknown, where: string): unknown {
    switch (key) {
      case 'Ref':
        return this.ref(String(argument), where);
      case 'Fn::GetAtt': {
        const [logicalId, attribute] = argument as [string, string];
        return this.attribute(logicalId, attribute, where);
      }
      case 'Fn::Join': {
        const [separator, parts] = this.resolve(argument, where) as [string, unknown[]];
        return parts.join(separator);
      }
      case 'Fn::Sub':
        if (typeof argument === 'string') return this.substitute(argument, where);
        break;
    }
    throw new LocalCloudError(`${where} uses ${key}, which has no local counterpart.`);
  }

  private ref(name: string, where: string): unknown {
    switch (name) {
      case 'AWS::AccountId':
        return ACCOUNT_ID;
      case 'AWS::NoValue':
        return undefined;
      case 'AWS::Partition':
        return 'aws';
      case 'AWS::Region':
        return REGION;
      case 'AWS::StackId':
        return `arn:aws:cloudformation:${REGION}:${ACCOUNT_ID}:stack/${STACK_NAME}/local`;
      case 'AWS::StackName':
        return STACK_NAME;
      case 'AWS::URLSuffix':
        return 'amazonaws.com';
    }
    const parameter = this.template.Parameters?.[name] as { Default?: unknown } | undefined;
    if (parameter !== undefined) {
      if (parameter.Default !== undefined) return parameter.Default;
      throw new LocalCloudError(`${where} needs the parameter ${name}, which has no default.`);
    }
    return this.identity(name, where).ref;
  }

  private attribute(logicalId: string, attribute: string, where: string): string {
    const value = this.identity(logicalId, where).attributes[attribute];
    if (value === undefined) {
      const { Type } = this.declared(logicalId, where);
      throw new LocalCloudError(
        `${where} reads ${logicalId}.${attribute}, an attribute of ${Type} that has no local counterpart.`,
      );
    }
    return value;
  }

  private substitute(text: string, where: string): string {
    return text.replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal !== '') return `\${${name}}`;
      if (!name.includes('.')) return String(this.ref(name, where));
      const at = name.indexOf('.');
      return this.attribute(name.slice(0, at), name.slice(at + 1), where);
    });
  }

  private declared(logicalId: string, where = 'The template'): TemplateResource {
    const resource = this.template.Resources?.[logicalId];
    if (resource === undefined) {
      throw new LocalCloudError(`${where} refers to ${logicalId}, which the template does not have.`);
    }
    return resource;
  }

  private identity(logicalId: string, where?: string): Identity {
    const { Type, Properties = {} } = this.declared(logicalId, where);
    return identify(Type, logicalId, this.endpoints, (property) =>
      this.resolve(Properties[property], logicalId),
    );
  }
}
