/** Holds answers to the OpenAPI document: path, method, status, media type, and the body by its schema, with no field that is not in it. */

type Json = unknown;
type Schema = Readonly<Record<string, Json>>;
interface Operation {
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
        readonly headers: Readonly<Record<string, unknown>>;
      }
    >
  >;
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const typeOf = (value: Json): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;

const isType = (value: Json, type: string): boolean =>
  typeOf(value) === type || (type === 'number' && typeof value === 'number');

/** What is wrong with a value; a field that an object's schema does not name is wrong too, unless the schema is an open one. */
export const faultsOf = (document: OpenApiDocument, schema: Schema, value: Json, at = '$'): readonly string[] => {
  const within = (inner: Schema, v: Json, place: string) => faultsOf(document, inner, v, place);
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.replace('#/components/schemas/', '');
    const named = document.components.schemas[name];
    return named === undefined ? [`${at}: no schema ${name}`] : within(named, value, at);
  }
  const either = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
  if (either !== undefined) {
    const answers = either.map((s) => within(s, value, at));
    return answers.some((faults) => faults.length === 0)
      ? []
      : [`${at}: fits none of ${either.length}`, ...answers.flat()];
  }
  if ('const' in schema) return schema.const === value ? [] : [`${at}: not ${JSON.stringify(schema.const)}`];
  if (Array.isArray(schema.enum))
    return schema.enum.includes(value) ? [] : [`${at}: ${JSON.stringify(value)} is none of the enum`];
  if (schema.type === undefined) return [];
  const types = Array.isArray(schema.type) ? (schema.type as string[]) : [schema.type as string];
  if (!types.some((type) => isType(value, type))) return [`${at}: ${typeOf(value)} is not ${types.join(' or ')}`];
  if (typeof value === 'string' && typeof schema.pattern === 'string' && !new RegExp(schema.pattern, 'u').test(value))
    return [`${at}: does not match ${schema.pattern}`];
  if (Array.isArray(value))
    return schema.items === undefined ? [] : value.flatMap((v, i) => within(schema.items as Schema, v, `${at}[${i}]`));
  if (typeof value !== 'object' || value === null) return [];
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const others = schema.additionalProperties;
  const missing = ((schema.required ?? []) as string[]).filter((name) => !Object.hasOwn(value, name));
  return [
    ...missing.map((name) => `${at}.${name}: missing`),
    ...Object.entries(value).flatMap(([name, v]) => {
      const property = properties[name];
      if (property !== undefined) return within(property, v, `${at}.${name}`);
      if (others === true || (schema.properties === undefined && others === undefined)) return [];
      return typeof others === 'object'
        ? within(others as Schema, v, `${at}.${name}`)
        : [`${at}.${name}: not in the document`];
    }),
  ];
};

const operationOf = (document: OpenApiDocument, method: string, path: string): Operation | null => {
  const plain = path.replace(/\/$/, '');
  const fits = (template: string): boolean =>
    new RegExp(`^${template.replaceAll(/[.]/g, '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain);
  // A path without parameters goes before one that has them.
  const template = Object.keys(document.paths).find((t) => t === plain) ?? Object.keys(document.paths).find(fits);
  return template === undefined ? null : (document.paths[template]?.[method.toLowerCase()] ?? null);
};

/** Headers that an answer has only if the document names them for it. */
const TOLD = ['etag', 'idempotency-replayed', 'retry-after', 'location', 'content-disposition', 'x-request-id'];

const headerFaults = (documented: Readonly<Record<string, unknown>>, headers: Headers): readonly string[] => {
  const named = Object.keys(documented).map((name) => name.toLowerCase());
  return TOLD.flatMap((name) => {
    if (headers.has(name) && !named.includes(name)) return [`header ${name} is not in the document`];
    const missing = named.includes(name) && !headers.has(name) && name !== 'idempotency-replayed';
    return missing ? [`no header ${name}`] : [];
  });
};

/** What is wrong with an answer; an unknown path or method must be 404 or 405. */
export const answerFaults = (
  document: OpenApiDocument,
  request: { readonly method: string; readonly path: string },
  answer: { readonly status: number; readonly type: string; readonly body: Json; readonly headers: Headers },
): readonly string[] => {
  const operation = operationOf(document, request.method, request.path);
  if (operation === null) return answer.status === 404 || answer.status === 405 ? [] : ['not in the document'];
  const response = operation.responses[String(answer.status)];
  if (response === undefined) return [`status ${answer.status} is not in the document`];
  const content = response.content[answer.type];
  if (content === undefined) return [`media type ${answer.type} is not in the document`];
  return [
    ...headerFaults(response.headers, answer.headers),
    ...(answer.type === 'application/json' ? faultsOf(document, content.schema, answer.body) : []),
  ];
};
