/** Checks a template against the specification of CloudFormation's resource types, which AWS publishes. */
import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import type {
  Property,
  PropertyType,
  Resource,
  ResourceProperties,
  SpecDatabase,
} from '@aws-cdk/service-spec-types';

/** A template as JSON. Unchecked parts have no type. */
export interface CheckedTemplate {
  // biome-ignore lint/suspicious/noExplicitAny: the input is not checked yet
  readonly Resources: Readonly<Record<string, any>>;
  readonly Outputs?: Readonly<Record<string, unknown>> | undefined;
  readonly Parameters?: Readonly<Record<string, unknown>> | undefined;
  readonly Conditions?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The faults for which CloudFormation would reject a template, each with its path, in the template's order. Empty for a
 * valid template:
 *
 * - a resource type, a property or an attribute of a resource that does not exist, at any depth;
 * - a required property that is missing, or is `AWS::NoValue`;
 * - a value of another type than the property's, or not among its allowed values. A number as a string is such a value,
 *   although CloudFormation would convert it;
 * - a reference (`Ref`, `Fn::GetAtt`, `Fn::Sub`, `DependsOn`, `Condition`) to something that the template or the
 *   type does not have, and an intrinsic function that returns another type than the property's.
 *
 * Ranges, lengths and patterns are not in the specification. The first call loads it, which takes about a second.
 */
export function faultsOf(template: CheckedTemplate): string[] {
  const checker = new Checker(template);
  for (const [logicalId, resource] of Object.entries(template.Resources))
    checker.resource(logicalId, resource);
  for (const [name, output] of Object.entries(template.Outputs ?? {})) {
    checker.references(`Outputs.${name}`, output);
  }
  return checker.faults;
}

/** Keys that a resource may have besides its properties. */
const RESOURCE_KEYS = [
  'Type',
  'Properties',
  'Metadata',
  'Condition',
  'CreationPolicy',
  'DeletionPolicy',
  'DependsOn',
  'UpdatePolicy',
  'UpdateReplacePolicy',
];

const DELETION_POLICIES = ['Delete', 'Retain', 'RetainExceptOnCreate', 'Snapshot'];

/** The resource with CDK's usage metadata. Its type has no specification. */
const CDK_METADATA = 'AWS::CDK::Metadata';

/** The type that specifies the common properties of custom resources. Other properties are for their functions. */
const CUSTOM_RESOURCE = 'AWS::CloudFormation::CustomResource';

const PSEUDO_PARAMETERS = [
  'AWS::AccountId',
  'AWS::NoValue',
  'AWS::NotificationARNs',
  'AWS::Partition',
  'AWS::Region',
  'AWS::StackId',
  'AWS::StackName',
  'AWS::URLSuffix',
];

/** The types that intrinsic functions return; `any` when it depends on their arguments. */
const YIELDS: Readonly<Record<string, Yield>> = {
  'Fn::Base64': 'text',
  'Fn::Cidr': 'list',
  'Fn::FindInMap': 'any',
  'Fn::GetAZs': 'list',
  'Fn::ImportValue': 'text',
  'Fn::Join': 'text',
  'Fn::Length': 'text',
  'Fn::Select': 'any',
  'Fn::Split': 'list',
  'Fn::Sub': 'text',
  'Fn::ToJsonString': 'text',
  'Fn::Transform': 'any',
};

/** `text` means any scalar, because CloudFormation converts the result of a function. */
type Yield = 'text' | 'list' | 'any' | 'nothing';

type Json = Readonly<Record<string, unknown>>;

class Checker {
  readonly faults: string[] = [];
  readonly #template: CheckedTemplate;

  constructor(template: CheckedTemplate) {
    this.#template = template;
  }

  resource(logicalId: string, resource: Json): void {
    const type = String(resource.Type);
    const path = `${logicalId} (${type})`;
    for (const key of Object.keys(resource)) {
      if (!RESOURCE_KEYS.includes(key)) this.#fault(path, `has no key ${key}`);
    }
    for (const policy of ['DeletionPolicy', 'UpdateReplacePolicy']) {
      const value = resource[policy] ?? 'Delete';
      if (!DELETION_POLICIES.includes(String(value))) this.#fault(path, `has no ${policy} ${value}`);
    }
    for (const other of [resource.DependsOn ?? []].flat()) this.#exists(path, String(other));
    if (resource.Condition !== undefined) this.#condition(path, resource.Condition);
    const properties = resource.Properties ?? {};
    this.references(path, properties);
    if (type === CDK_METADATA) return;
    const custom = type.startsWith('Custom::') || type === CUSTOM_RESOURCE;
    const specified = specificationOf(custom ? CUSTOM_RESOURCE : type);
    if (specified === undefined) this.#fault(path, 'is not a resource type of CloudFormation');
    else if (!isObject(properties)) this.#fault(path, 'needs an object of properties');
    else if (custom) this.#missing(path, properties, specified.properties);
    else this.#properties(path, properties, specified.properties);
  }

  /** Checks that every reference inside the value exists. */
  references(path: string, value: unknown): void {
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) this.references(`${path}[${i}]`, item);
      return;
    }
    if (!isObject(value)) return;
    const intrinsic = intrinsicOf(value);
    if (intrinsic !== undefined) this.#reference(path, ...intrinsic);
    for (const [key, item] of Object.entries(value)) this.references(`${path}.${key}`, item);
  }

  #reference(path: string, name: string, argument: unknown): void {
    switch (name) {
      case 'Ref':
        this.#exists(path, String(argument));
        break;
      case 'Fn::GetAtt':
        this.#attribute(path, ...attributeOf(argument));
        break;
      case 'Fn::Sub':
        this.#substitution(path, argument);
        break;
      case 'Fn::If':
        this.#condition(path, (argument as unknown[])[0]);
        break;
      default:
        if (!(name in YIELDS)) this.#fault(path, `uses ${name}, which is not an intrinsic function`);
    }
  }

  #substitution(path: string, argument: unknown): void {
    const [text, variables] = (Array.isArray(argument) ? argument : [argument, {}]) as [string, Json];
    for (const [, target = ''] of String(text).matchAll(/\$\{([^!}][^}]*)\}/g)) {
      if (target in variables) continue;
      if (target.includes('.')) this.#attribute(path, ...attributeOf(target));
      else this.#exists(path, target);
    }
  }

  #exists(path: string, name: string): void {
    const { Resources, Parameters = {} } = this.#template;
    if (name in Resources || name in Parameters || PSEUDO_PARAMETERS.includes(name)) return;
    this.#fault(path, `refers to ${name}, which the template does not have`);
  }

  #condition(path: string, name: unknown): void {
    if (String(name) in (this.#template.Conditions ?? {})) return;
    this.#fault(path, `depends on the condition ${name}, which the template does not have`);
  }

  #attribute(path: string, logicalId: string, attribute: string): void {
    this.#exists(path, logicalId);
    const type: string | undefined = this.#template.Resources[logicalId]?.Type;
    const attributes = type === undefined ? undefined : specificationOf(type)?.attributes;
    if (attributes === undefined || attribute in attributes) return;
    this.#fault(path, `reads ${logicalId}.${attribute}, which is not an attribute of ${type}`);
  }

  #properties(path: string, given: Json, specified: ResourceProperties): void {
    this.#missing(path, given, specified);
    for (const [name, value] of Object.entries(given)) {
      const property = specified[name];
      if (property === undefined) this.#fault(`${path}.${name}`, 'is not a property of its type');
      else this.#property(`${path}.${name}`, value, property);
    }
  }

  #missing(path: string, given: Json, specified: ResourceProperties): void {
    for (const [name, { required }] of Object.entries(specified)) {
      if (required && this.#yieldOf(given[name]) === 'nothing') this.#fault(path, `misses ${name}`);
    }
  }

  #property(path: string, value: unknown, { type }: Pick<Property, 'type'>): void {
    const [name, argument] = (isObject(value) && intrinsicOf(value)) || [];
    if (name === 'Fn::If') {
      const [, ...branches] = argument as unknown[];
      for (const branch of branches) this.#property(path, branch, { type });
    } else if (name !== undefined) {
      if (!takes(type, this.#yieldOf(value) ?? 'any')) this.#refuse(path, value, type);
    } else {
      this.#literal(path, value, type);
    }
  }

  #literal(path: string, value: unknown, type: PropertyType): void {
    if (type.type === 'array' && Array.isArray(value)) {
      for (const [i, item] of value.entries()) this.#property(`${path}[${i}]`, item, { type: type.element });
    } else if (type.type === 'map' && isObject(value)) {
      for (const [key, item] of Object.entries(value))
        this.#property(`${path}.${key}`, item, { type: type.element });
    } else if (type.type === 'ref' && isObject(value)) {
      this.#properties(path, value, definitionOf(type.reference.$ref));
    } else if (type.type === 'tag' && isObject(value)) {
      this.#properties(path, value, TAG);
    } else if (type.type === 'union') {
      if (!type.types.some((one) => this.#fits(path, value, one))) this.#refuse(path, value, type);
    } else if (!isScalarOf(type, value)) {
      this.#refuse(path, value, type);
    }
  }

  #fits(path: string, value: unknown, type: PropertyType): boolean {
    const alone = new Checker(this.#template);
    alone.#property(path, value, { type });
    return alone.faults.length === 0;
  }

  /** The type that an intrinsic function returns, `nothing` for an absent value, undefined for a literal. */
  #yieldOf(value: unknown): Yield | undefined {
    if (value === undefined) return 'nothing';
    const [name, argument] = (isObject(value) && intrinsicOf(value)) || [];
    if (name === undefined) return undefined;
    if (name === 'Ref') return this.#yieldOfRef(String(argument));
    if (name === 'Fn::GetAtt') return this.#yieldOfAttribute(...attributeOf(argument));
    if (name === 'Fn::If') {
      const branches = (argument as unknown[]).slice(1).map((branch) => this.#yieldOf(branch));
      return branches.includes('nothing') ? 'nothing' : 'any';
    }
    return YIELDS[name] ?? 'any';
  }

  #yieldOfRef(name: string): Yield {
    if (name === 'AWS::NoValue') return 'nothing';
    if (name === 'AWS::NotificationARNs') return 'list';
    const parameter = this.#template.Parameters?.[name] as { Type?: string } | undefined;
    return /List/.test(parameter?.Type ?? '') ? 'list' : 'text';
  }

  #yieldOfAttribute(logicalId: string, attribute: string): Yield {
    const type: string | undefined = this.#template.Resources[logicalId]?.Type;
    const specified = type === undefined ? undefined : specificationOf(type)?.attributes[attribute];
    if (specified === undefined) return 'any';
    if (specified.type.type === 'array') return 'list';
    return isScalar(specified.type) ? 'text' : 'any';
  }

  #refuse(path: string, value: unknown, type: PropertyType): void {
    this.#fault(path, `needs ${nameOf(type)}, gets ${JSON.stringify(value)}`);
  }

  #fault(path: string, problem: string): void {
    this.faults.push(`${path} ${problem}`);
  }
}

const TAG: ResourceProperties = {
  Key: { type: { type: 'string' }, required: true },
  Value: { type: { type: 'string' }, required: true },
};

/** Whether a property of the type may have the result of an intrinsic function. */
function takes(type: PropertyType, yields: Yield): boolean {
  if (yields === 'any' || yields === 'nothing') return true;
  if (type.type === 'union') return type.types.some((one) => takes(one, yields));
  return yields === 'list' ? type.type === 'array' || type.type === 'json' : isScalar(type);
}

function isScalar({ type }: PropertyType): boolean {
  return ['string', 'number', 'integer', 'boolean', 'date-time', 'json'].includes(type);
}

function isScalarOf(type: PropertyType, value: unknown): boolean {
  switch (type.type) {
    case 'string':
      return typeof value === 'string' && (type.allowedValues?.includes(value) ?? true);
    case 'integer':
      return Number.isInteger(value) && (type.allowedValues?.includes(value as number) ?? true);
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'date-time':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value));
    case 'json':
      return isObject(value) || (typeof value === 'string' && isJson(value));
    case 'null':
      return value === null;
    default:
      return false;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The intrinsic function and its argument, if the object is a call of one. */
function intrinsicOf(value: Json): [name: string, argument: unknown] | undefined {
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0) return undefined;
  return entry[0] === 'Ref' || entry[0].startsWith('Fn::') ? entry : undefined;
}

function attributeOf(argument: unknown): [logicalId: string, attribute: string] {
  const [logicalId, ...rest] = typeof argument === 'string' ? argument.split('.') : (argument as string[]);
  return [String(logicalId), rest.join('.')];
}

function nameOf(type: PropertyType): string {
  switch (type.type) {
    case 'array':
      return `a list of which each is ${nameOf(type.element)}`;
    case 'map':
      return `an object of which each value is ${nameOf(type.element)}`;
    case 'ref':
    case 'json':
      return 'an object';
    case 'union':
      return type.types.map(nameOf).join(' or ');
    case 'string':
      return type.allowedValues === undefined ? 'a string' : `one of ${type.allowedValues.join(', ')}`;
    case 'integer':
      return 'an integer';
    default:
      return `a ${type.type}`;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

let specification: SpecDatabase | undefined;

function load(): SpecDatabase {
  specification ??= loadAwsServiceSpecSync();
  return specification;
}

function specificationOf(type: string): Resource | undefined {
  return load().lookup('resource', 'cloudFormationType', 'equals', type)[0];
}

function definitionOf(id: string): ResourceProperties {
  return load().get('typeDefinition', id).properties;
}
