import type { Template, TemplateResource } from '../../lib/infra/synthesize.ts';

/** A resource with its logical id. */
export interface Resource extends TemplateResource {
  readonly id: string;
}

/** All resources of a type, in the template's order. */
export function resourcesOf(template: Template, type: string): Resource[] {
  return Object.entries(template.Resources)
    .filter(([, resource]) => resource.Type === type)
    .map(([id, resource]) => ({ id, ...resource }));
}

/** The functions by their names (`tick`, `dry-run`, …). */
export function functionsOf(template: Template): Record<string, Resource> {
  return Object.fromEntries(
    resourcesOf(template, 'AWS::Lambda::Function').map((fn) => [
      fn.Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME,
      fn,
    ]),
  );
}

/** The name of the function that a `Ref`, or an `Fn::GetAtt` of its ARN, refers to. */
export function functionNamed(template: Template, reference: unknown): string {
  const id = target(reference);
  return template.Resources[id]!.Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME;
}

/** The logical id that a `Ref` or `Fn::GetAtt` points to. Throws when the value is neither. */
export function target(value: unknown): string {
  const { Ref: ref, 'Fn::GetAtt': getAtt } = value as { Ref?: string; 'Fn::GetAtt'?: [string, string] };
  const id = ref ?? getAtt?.[0];
  if (id === undefined) throw new Error(`Expected a reference, got ${JSON.stringify(value)}.`);
  return id;
}

/** The statements of a function's role. */
export function statementsOf(template: Template, fn: Resource): Statement[] {
  const role = target(fn.Properties.Role);
  return resourcesOf(template, 'AWS::IAM::Policy')
    .filter((policy) => policy.Properties.Roles.some((ref: unknown) => target(ref) === role))
    .flatMap((policy) => policy.Properties.PolicyDocument.Statement);
}

export interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Effect: 'Allow' | 'Deny';
}
