/**
 * Long text in every text field of every body: each request is answered in time that grows with the length, not with its square. Found this way:
 * a pattern that began with `.*` held the process for seconds over a file name of 70,000 characters.
 */
import { startHttp, type Client, type HttpWorld } from '../support/http';
import { ARI, CONFIGS, definition } from './furnish';

type Schema = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  world = await startHttp({ bodyLimitBytes: 2_097_152 });
  client = await world.client();
});
afterAll(() => world.close());

const LENGTH = 100_000;
/** What a quadratic step takes for this length is far beyond, also on a fast machine; what a linear one takes is far below, also on a busy one. */
const LIMIT_MS = 4000;

const LONG: Readonly<Record<string, string>> = {
  letters: 'x'.repeat(LENGTH),
  'slashes and a letter': `${'/'.repeat(LENGTH)}x`,
  'spaces and a letter': `${' '.repeat(LENGTH)}x`,
  digits: '1'.repeat(LENGTH),
  'opened braces': '{{'.repeat(LENGTH / 2),
  'opened braces with bars': '{{a|'.repeat(LENGTH / 4),
  dots: `a${'.'.repeat(LENGTH)}`,
};

const timed = async (ask: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await ask();
  return performance.now() - begun;
};

const resolved = (schema: Schema): Schema =>
  typeof schema['$ref'] === 'string'
    ? (world.document.components.schemas[schema['$ref'].replace('#/components/schemas/', '')] as Schema)
    : schema;

/** Values with every property there, one for each alternative of a union. */
const samples = (given: Schema | undefined, depth = 0): readonly unknown[] => {
  const schema = resolved(given ?? {});
  const either = (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined;
  if (either !== undefined) return either.filter((s) => s['type'] !== 'null').flatMap((s) => samples(s, depth + 1));
  if ('const' in schema) return [schema['const']];
  if (Array.isArray(schema['enum'])) return [(schema['enum'] as unknown[])[0]];
  if (schema['type'] === 'array') return samples(schema['items'] as Schema, depth + 1).map((item) => [item]);
  if (schema['type'] === 'object' && depth < 8) {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
    const columns = properties.map(([name, s]) => [name, samples(s, depth + 1)] as const);
    const most = Math.max(1, ...columns.map(([, values]) => values.length));
    return Array.from({ length: most }, (_, i) =>
      Object.fromEntries(columns.map(([name, values]) => [name, values[Math.min(i, values.length - 1)]])),
    );
  }
  return [
    schema['type'] === 'string' ? 'text' : schema['type'] === 'boolean' ? true : schema['type'] === 'object' ? {} : 1,
  ];
};

const textsIn = (value: unknown, at: Path = []): readonly Path[] =>
  typeof value === 'string'
    ? [at]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) =>
          textsIn(inner, [...at, Array.isArray(value) ? Number(key) : key]),
        )
      : [];

const withText = (value: unknown, [key, ...rest]: Path, text: string): unknown => {
  if (key === undefined) return text;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = withText(copy[key], rest, text);
  return copy;
};

it('in any text field of any body is answered at once', async () => {
  const slow: string[] = [];
  let fields = 0;
  for (const [path, methods] of Object.entries(world.document.paths))
    for (const [method, operation] of Object.entries(methods as unknown as Record<string, Schema>)) {
      const body = operation['requestBody'] as { content: Record<string, { schema: Schema }> } | undefined;
      const schema = body?.content['application/json']?.schema;
      if (schema === undefined) continue;
      const url = path.replaceAll(/\{\w+\+?\}/g, '1');
      const seen = new Set<string>();
      for (const sample of samples(schema))
        for (const at of textsIn(sample)) {
          // Alternatives of a union repeat each other's fields; what tells them apart is in the sample, not in the path.
          const name = `${at.join('.')} ${String((sample as { config?: { provider?: unknown } }).config?.provider)}`;
          if (seen.has(name)) continue;
          seen.add(name);
          fields += 1;
          for (const [what, text] of Object.entries(LONG)) {
            // One text for each field, all of them in turn: what is slow is slow for a pattern, and patterns are few.
            if (fields % 3 !== Object.keys(LONG).indexOf(what) % 3 && what !== 'letters') continue;
            const took = await timed(() => client.request(method.toUpperCase(), url, withText(sample, at, text)));
            if (took > LIMIT_MS) slow.push(`${method} ${path}: ${what} as ${at.join('.')} took ${Math.round(took)} ms`);
          }
        }
    }
  expect(fields).toBeGreaterThan(60);
  expect(slow).toEqual([]);
}, 120_000);

it.each(Object.entries(LONG))('%s in a prompt, a greeting and a label are answered at once', async (_what, text) => {
  const made = definition(text, { greeting: text });
  const agent = {
    name: text,
    workflow_definition: {
      ...made,
      edges: made.edges.map((edge) => ({ ...edge, data: { label: text, condition: 'c', transition_speech: text } })),
    },
  };
  const took = await timed(() => client.post('/api/v1/workflow/create/definition', agent));
  expect(took).toBeLessThan(LIMIT_MS);
});

it.each(Object.entries(LONG))(
  '%s as an ARI endpoint, dial string and PBX address are answered at once',
  async (_what, text) => {
    const agent_api = { url: `http://x/${text}`, username: 'u', password: 'p' };
    for (const settings of [
      { ari_endpoint: `http://x/${text}` },
      { dial_string_template: `PJSIP/${text}{number}` },
      { external_pbx: { agent_api } },
    ]) {
      const config = { name: `Long ${Math.random()}`, config: { ...ARI, ...settings } };
      expect(await timed(() => client.post(CONFIGS, config))).toBeLessThan(LIMIT_MS);
    }
  },
);
