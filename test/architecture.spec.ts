import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(__dirname, '..');

const filesUnder = (folder: string): string[] =>
  readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    return statSync(join(root, path)).isDirectory() ? filesUnder(path) : path.endsWith('.ts') ? [path] : [];
  });

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const importsOf = (file: string): Import[] => {
  const source = readFileSync(join(root, file), 'utf8');
  const pattern =
    /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|(?:import|require)\(\s*'([^']+)'\s*\)/gm;
  return [...source.matchAll(pattern)].map((m) => ({
    from: file,
    to: (m[2] ?? m[3]) as string,
    typeOnly: m[1] !== undefined,
  }));
};

/** A relative import as a path from the root; null for packages. */
const target = (i: Import): string | null => {
  if (!i.to.startsWith('.')) return null;
  const path = relative(root, resolve(root, dirname(i.from), i.to.replace(/\.js$/, '')));
  for (const candidate of [`${path}.ts`, join(path, 'index.ts'), path]) {
    try {
      if (statSync(join(root, candidate)).isFile()) return candidate;
    } catch {
      // the next form of the name
    }
  }
  throw new Error(`${i.from} imports ${i.to}, which does not exist`);
};

const sources = [...filesUnder('src'), ...filesUnder('projections')];
const imports = sources.flatMap(importsOf);

/** Rings of the architecture, from the inside out: a file imports only from its own ring or one further in. */
const layerOf = (file: string): string => {
  const [top, second, third] = file.split('/');
  if (top === 'projections') return 'projections';
  if (second === 'adapters') return 'adapters';
  if (second === 'domain')
    return file.endsWith('/events.ts') || third === 'event-catalog.ts' ? 'domain-events' : 'domain';
  return third === undefined ? 'main' : (second as string);
};
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  ports: ['core', 'ports'],
  engine: ['core', 'ports', 'engine'],
  'domain-events': ['core', 'domain-events', 'engine'],
  domain: ['core', 'domain-events', 'domain'],
  projections: ['core', 'ports', 'engine', 'domain-events', 'projections'],
  dialer: ['core', 'ports', 'engine', 'domain-events', 'domain', 'dialer'],
  carriers: ['core', 'ports', 'carriers'],
  http: ['core', 'ports', 'engine', 'domain-events', 'domain', 'projections', 'http'],
  adapters: ['core', 'ports', 'engine', 'adapters'],
  commands: [
    'core',
    'ports',
    'engine',
    'domain-events',
    'domain',
    'projections',
    'dialer',
    'carriers',
    'http',
    'commands',
    'demo',
    'main',
  ],
  demo: ['core', 'demo'],
  main: [
    'core',
    'ports',
    'engine',
    'domain-events',
    'domain',
    'projections',
    'dialer',
    'carriers',
    'http',
    'adapters',
    'commands',
    'demo',
    'main',
  ],
};

it('finds the sources', () => {
  expect(sources.length).toBeGreaterThan(60);
  expect(imports.length).toBeGreaterThan(150);
});

it('imports point inward', () => {
  const wrong = imports.flatMap((i) => {
    const to = target(i);
    if (to === null) return [];
    return ALLOWED[layerOf(i.from)]?.includes(layerOf(to)) === true ? [] : [`${i.from} imports ${to}`];
  });
  expect(wrong).toEqual([]);
});

it('has no cycle', () => {
  const edges = new Map<string, Set<string>>();
  for (const i of imports) {
    const to = i.typeOnly ? null : target(i);
    if (to !== null) edges.set(i.from, (edges.get(i.from) ?? new Set()).add(to));
  }
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      return;
    }
    if (done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  expect(cycles).toEqual([]);
});

it('a driver package is imported by exactly one file', () => {
  const drivers = [
    '@photostructure/sqlite',
    'node:sqlite',
    '@eventstore/db-client',
    'mongodb',
    'nats',
    '@aws-sdk/client-s3',
    'openai',
    'csv-parse',
    'commander',
  ];
  const wrong = drivers.flatMap((driver) => {
    const importers = new Set(
      imports.filter((i) => i.to === driver || i.to.startsWith(`${driver}/`)).map((i) => i.from),
    );
    return importers.size > 1 ? [`${driver}: ${[...importers].join(', ')}`] : [];
  });
  expect(wrong).toEqual([]);
});

it('only main.ts names an adapter', () => {
  const wrong = imports.filter(
    (i) =>
      i.from !== 'src/main.ts' && layerOf(i.from) !== 'adapters' && (target(i)?.startsWith('src/adapters/') ?? false),
  );
  expect(wrong.map((i) => `${i.from} imports ${i.to}`)).toEqual([]);
});

it('core needs nothing but fp-ts and io-ts', () => {
  const wrong = imports.filter(
    (i) => i.from.startsWith('src/core/') && target(i) === null && !/^(fp-ts|io-ts)(\/|$)/.test(i.to),
  );
  expect(wrong.map((i) => `${i.from} imports ${i.to}`)).toEqual([]);
});

it('keeps files small', () => {
  const lines = sources.map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length }));
  expect(lines.filter((l) => l.lines > 400)).toEqual([]);
});
