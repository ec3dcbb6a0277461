import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseInstant } from '../../src/http/instant';

it.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T10:20', '2026-01-31T10:20:00.000Z'],
  ['2026-01-31 10:20:30', '2026-01-31T10:20:30.000Z'],
  ['2026-01-31T10:20:30.123456Z', '2026-01-31T10:20:30.123Z'],
  ['2026-01-31T10:20:30+02:00', '2026-01-31T08:20:30.000Z'],
  ['2026-01-31T10:20:30-0530', '2026-01-31T15:50:30.000Z'],
  ['2024-02-29t23:59:59z', '2024-02-29T23:59:59.000Z'],
  ['2026-02-29', null],
  ['2026-02-30T00:00:00Z', null],
  ['2026-13-01', null],
  ['2026-01-31T25:00', null],
  ['2026-01-31T10:20:30Z later', null],
  ['2026-01-31 (UTC)', null],
  ['31.01.2026', null],
  ['20260131', null],
  ['9999-12-31T23:59:59-12:00', null],
  ['', null],
])('%j is the instant %j', (written, instant) => {
  expect(parseInstant(written)).toBe(instant);
});

it('an instant without a zone is UTC, whatever the zone of the server', () => {
  const script = `console.log(require(${JSON.stringify(join(__dirname, '../../src/http/instant.ts'))}).parseInstant('2026-01-31T10:20'))`;
  const child = spawnSync(process.execPath, ['-r', join(__dirname, '../adapters/child/typescript.js'), '-e', script], {
    env: { ...process.env, TZ: 'America/New_York' },
    encoding: 'utf8',
  });
  expect(child.stdout.trim()).toBe('2026-01-31T10:20:00.000Z');
});
