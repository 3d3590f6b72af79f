/**
 * Evaluates IAM policy statements: those of the functions' roles, and the policies of queues.
 * A deny overrides an allow, and an action is denied unless a statement allows it.
 */
import { getOrCreate } from '../vocabulary/get-or-create.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import type { Properties, Resource, Stack } from './template.ts';

/** One statement of a policy document, as in the template. */
export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action?: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Principal?: '*' | Readonly<Record<string, string | readonly string[]>>;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** A request for an action on a resource. */
export interface AccessRequest {
  /** `service:Action`. */
  readonly action: string;
  readonly resourceArn: string;
  /** The principal of the calling AWS service, such as `events.amazonaws.com`. Only resource policies need it. */
  readonly service?: string;
  /** Condition keys; `aws:SecureTransport` is true unless given. */
  readonly context?: Readonly<Record<string, string>>;
}

export function isAllowed(statements: readonly Statement[], request: AccessRequest): boolean {
  const applying = statements.filter((statement) => applies(statement, request));
  return (
    applying.some((statement) => statement.Effect === 'Allow') &&
    !applying.some((statement) => statement.Effect === 'Deny')
  );
}

/** The statements of every role in the stack, by the role's name: inline, attached and managed policies. */
export function roleStatements(stack: Stack): Map<string, Statement[]> {
  const byRole = new Map<string, Statement[]>();
  const add = (roleName: string, document: unknown) =>
    getOrCreate(byRole, roleName, () => []).push(...statementsOf(document));
  for (const role of stack.resources('AWS::IAM::Role')) {
    getOrCreate(byRole, role.name, () => []);
    for (const policy of list(role.properties.Policies))
      add(role.name, (policy as Properties).PolicyDocument);
  }
  for (const policy of stack.resources('AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy')) {
    for (const roleName of list(policy.properties.Roles)) {
      add(String(roleName), policy.properties.PolicyDocument);
    }
  }
  return byRole;
}

/** The statements of the policies attached to a queue. */
export function queueStatements(stack: Stack, queue: Resource): Statement[] {
  return stack
    .resources('AWS::SQS::QueuePolicy')
    .filter((policy) => list(policy.properties.Queues).includes(queue.ref))
    .flatMap((policy) => statementsOf(policy.properties.PolicyDocument))
    .map((statement) => ({ Resource: queue.arn, ...statement }));
}

function applies(statement: Statement, request: AccessRequest): boolean {
  return (
    matchesAction(statement, request.action) &&
    matchesPrincipal(statement, request.service) &&
    list(statement.Resource).some((pattern) => matchesWildcard(String(pattern), request.resourceArn)) &&
    matchesConditions(statement, { 'aws:SecureTransport': 'true', ...request.context })
  );
}

function matchesAction(statement: Statement, action: string): boolean {
  return list(statement.Action).some((pattern) =>
    matchesWildcard(String(pattern).toLowerCase(), action.toLowerCase()),
  );
}

function matchesPrincipal(statement: Statement, service: string | undefined): boolean {
  if (statement.Principal === undefined) return service === undefined;
  if (statement.Principal === '*') return true;
  if (list(statement.Principal.AWS).includes('*')) return true;
  return service !== undefined && list(statement.Principal.Service).includes(service);
}

function matchesConditions(statement: Statement, context: Readonly<Record<string, string>>): boolean {
  return Object.entries(statement.Condition ?? {}).every(([operator, keys]) =>
    Object.entries(keys).every(([key, expected]) => {
      const test = CONDITION_OPERATORS[operator];
      if (test === undefined) {
        throw new LocalCloudError(`A policy uses the condition ${operator}, which has no local counterpart.`);
      }
      const value = context[key];
      return value !== undefined && list(expected).some((item) => test(value, String(item)));
    }),
  );
}

const CONDITION_OPERATORS: Readonly<Record<string, (value: string, expected: string) => boolean>> = {
  ArnEquals: (value, expected) => matchesWildcard(expected, value),
  Bool: (value, expected) => value === expected,
  StringEquals: (value, expected) => value === expected,
};

/** Whether the text matches a pattern in which `*` stands for any characters and `?` for one. */
export function matchesWildcard(pattern: string, text: string): boolean {
  let expression = WILDCARDS.get(pattern);
  if (expression === undefined) {
    const escaped = pattern
      .replace(/[\\^$.+()[\]{}|]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    expression = new RegExp(`^${escaped}$`, 's');
    WILDCARDS.set(pattern, expression);
  }
  return expression.test(text);
}

/** Caches compiled patterns: a template has a few hundred, and every call of a function checks some. */
const WILDCARDS = new Map<string, RegExp>();

function statementsOf(document: unknown): Statement[] {
  return list((document as Properties | undefined)?.Statement) as Statement[];
}

function list(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
