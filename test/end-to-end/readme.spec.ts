/** The README's tour works as it is written: its lines are run by a shell, only the two addresses are the test's own. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWorld, type World } from '../support/world';

const readme = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');
const tour = /```sh tour\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--time-scale', '0.1']);
});
afterAll(() => world?.dispose());

const shell = (script: string): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((resolve) => {
    const child = spawn('bash', ['-e'], { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('exit', (code) => resolve({ code, output }));
    child.stdin.end(script);
  });

it('runs the tour', async () => {
  expect(tour.split('\n').length).toBeGreaterThan(15);
  const script = tour
    .replaceAll('http://localhost:8000', world.platform.url)
    .replaceAll('http://127.0.0.1:8088', world.simulator.url)
    .replaceAll('llk_tour_0123456789abcdef', world.key);
  const { code, output } = await shell(script);
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toContain('running');
  expect(output).toContain('"total_rows":3');
  expect(output).toContain('"gates":');
  expect(output).toContain('"variants":');
  expect(output).toContain('"total_count":3');
});

it('names only settings that the program reads, and all of them', () => {
  const config = readFileSync(join(__dirname, '..', '..', 'src', 'config.ts'), 'utf8');
  const read = new Set(
    [...config.matchAll(/(?:given|whole|flag|url|connection|context)\('([A-Z_]+)'/g)].map((m) => m[1]),
  );
  const told = [
    ...readme.slice(readme.indexOf('## Settings'), readme.indexOf('## Asterisk')).matchAll(/`([A-Z][A-Z_]+)`/g),
  ].map((m) => m[1]);
  expect(read.size).toBeGreaterThan(10);
  expect(told.filter((name) => !read.has(name as string))).toEqual([]);
  expect([...read].filter((name) => !told.includes(name))).toEqual([]);
});
