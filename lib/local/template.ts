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
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Mappings?: Readonly<Record<string, Record<string, Record<string, unknown>>>>;
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
  /** The resources of these types, in the template's order, without those whose condition is false. */
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
    .filter(([, resource]) => resource.Condition === undefined || resolver.condition(resource.Condition))
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

function isSupported(logicalId: string, { Type }: TemplateResource): boolean {
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

  condition(name: string): boolean {
    const conditions = this.template.Conditions ?? {};
    if (!(name in conditions)) throw new LocalCloudError(`The template has no condition ${name}.`);
    return this.resolve(conditions[name], `condition ${name}`) === true;
  }

  /** The value with every intrinsic function in it resolved. `where` is for error messages. */
  private resolve(value: unknown, where: string): unknown {
    if (Array.isArray(value)) {
      return value.map((item) => this.resolve(item, where)).filter((item) => item !== undefined);
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [key, argument] = entries[0] ?? [];
    if (entries.length === 1 && key !== undefined && isIntrinsic(key, where)) {
      return this.intrinsic(key, argument, where);
    }
    return Object.fromEntries(
      entries
        .map(([name, item]) => [name, this.resolve(item, where)] as const)
        .filter(([, item]) => item !== undefined),
    );
  }

  private intrinsic(key: string, argument: unknown, where: string): unknown {
    const resolved = () => this.resolve(argument, where);
    switch (key) {
      case 'Ref':
        return this.ref(String(argument), where);
      case 'Condition':
        // Outside conditions `Condition` is an ordinary key, for example of a policy statement.
        return typeof argument === 'string' ? this.condition(argument) : { Condition: resolved() };
      case 'Fn::GetAtt': {
        const [logicalId, attribute] =
          typeof argument === 'string' ? splitOnce(argument, '.') : (argument as [string, string]);
        return this.attribute(logicalId, String(this.resolve(attribute, where)), where);
      }
      case 'Fn::Join': {
        const [separator, parts] = resolved() as [string, unknown[]];
        return parts.join(separator);
      }
      case 'Fn::Sub':
        return this.substitute(argument as string | [string, Properties], where);
      case 'Fn::Select': {
        const [index, items] = resolved() as [number | string, unknown[]];
        return items[Number(index)];
      }
      case 'Fn::Split': {
        const [separator, text] = resolved() as [string, string];
        return text.split(separator);
      }
      case 'Fn::If': {
        const [name, then, otherwise] = argument as [string, unknown, unknown];
        return this.resolve(this.condition(name) ? then : otherwise, where);
      }
      case 'Fn::Equals': {
        const [a, b] = resolved() as [unknown, unknown];
        return a === b;
      }
      case 'Fn::And':
        return (resolved() as unknown[]).every((item) => item === true);
      case 'Fn::Or':
        return (resolved() as unknown[]).some((item) => item === true);
      case 'Fn::Not':
        return (resolved() as unknown[])[0] !== true;
      case 'Fn::FindInMap': {
        const [map, first, second] = resolved() as [string, string, string];
        return this.template.Mappings?.[map]?.[first]?.[second];
      }
      default:
        throw new LocalCloudError(`${where} uses ${key}, which has no local counterpart.`);
    }
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

  private substitute(argument: string | [string, Properties], where: string): string {
    const [text, variables] = typeof argument === 'string' ? [argument, {}] : argument;
    return text.replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal !== '') return `\${${name}}`;
      if (name in variables) return String(this.resolve(variables[name], where));
      if (!name.includes('.')) return String(this.ref(name, where));
      const [logicalId, attribute] = splitOnce(name, '.');
      return this.attribute(logicalId, attribute, where);
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

function isIntrinsic(key: string, where: string): boolean {
  if (key === 'Ref' || key.startsWith('Fn::')) return true;
  return key === 'Condition' && where.startsWith('condition ');
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}
