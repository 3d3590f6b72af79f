/** A JSON schema of an OpenAPI document. */
// biome-ignore lint/suspicious/noExplicitAny: the keywords of a schema are looked up one by one
type Schema = Readonly<Record<string, any>>;

/** The parts of an OpenAPI document that become types. */
export interface SchemaDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/**
 * The components of an OpenAPI document as TypeScript: an exported type for each schema, and a union of all webhooks.
 * Everything is readonly, so that a caller may pass lists of its own.
 */
export function typescriptOf(document: SchemaDocument): string {
  const schemas = Object.entries(document.components?.schemas ?? {});
  const webhooks = schemas.map(([name]) => name).filter((name) => name.endsWith('Webhook'));
  return [
    '// The types of the OpenAPI document, written by lib/package/client-types.ts.',
    ...schemas.map(([name, schema]) => declarationOf(name, schema)),
    `/** Every webhook that this version knows. */\nexport type WebhookEvent =\n${webhooks.map((name) => `  | ${name}`).join('\n')};`,
    '',
  ].join('\n\n');
}

function declarationOf(name: string, schema: Schema): string {
  const comment = commentOf(schema, '');
  if (schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0)
    return `${comment}export interface ${name} ${typeOf(schema, '')}`;
  return `${comment}export type ${name} = ${typeOf(schema, '')};`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1);
  if ('const' in schema) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  const alternatives: readonly Schema[] | undefined = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined)
    return [...new Set(alternatives.map((one) => typeOf(one, indent)))].join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map((type: string) => typeOf({ ...schema, type }, indent)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${element(typeOf(schema.items, indent))}[]`;
    case 'object':
      return objectOf(schema, indent);
    default:
      return 'unknown';
  }
}

function objectOf({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  if (properties === undefined) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
    return `Readonly<Record<string, ${value}>>`;
  }
  if (Object.keys(properties).length === 0) return 'Readonly<Record<string, never>>';
  const inner = `${indent}  `;
  const lines = Object.entries<Schema>(properties).map(
    ([name, property]) =>
      `${commentOf(property, inner)}${inner}readonly ${keyOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(property, inner)}${required.includes(name) ? '' : ' | undefined'};`,
  );
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function element(type: string): string {
  return type.includes('|') ? `(${type})` : type;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function commentOf({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '*∕')} */\n`;
}
