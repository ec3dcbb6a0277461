import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { masterKey, unwrap, wrap } from '../../../src/adapters/production/master-key';
import { tempFolder } from '../../support/temp';

const bytes = randomBytes(32);

it.each([
  ['hex', bytes.toString('hex')],
  ['hex in capitals', bytes.toString('hex').toUpperCase()],
  ['base64', bytes.toString('base64')],
  ['base64url', bytes.toString('base64url')],
  ['hex between blanks', ` ${bytes.toString('hex')}\n`],
])('reads a key given as %s', (_, text) => {
  expect(masterKey(text).bytes).toEqual(bytes);
});

it('reads a key from the file that is named', async () => {
  const folder = await tempFolder();
  const path = join(folder.path, 'key');
  writeFileSync(path, `${bytes.toString('base64')}\n`);
  expect(masterKey(path).bytes).toEqual(bytes);
  writeFileSync(path, 'secret but short');
  expect(() => masterKey(path)).toThrow(/32 bytes/);
  expect(() => masterKey(path)).not.toThrow(/secret/);
  await folder.remove();
});

it('refuses what is neither a key nor a file, without repeating it', () => {
  const halfKey = bytes.toString('hex', 0, 16);
  expect(() => masterKey(halfKey)).toThrow(/neither/);
  expect(() => masterKey(halfKey)).not.toThrow(new RegExp(halfKey));
});

it('opens what it wrapped, at its place, with its key only', () => {
  const [key, other] = [masterKey(bytes.toString('hex')), masterKey(randomBytes(32).toString('hex'))];
  const plain = randomBytes(32);
  const wrapped = wrap(key, plain, 'pages|1/a');
  expect(wrapped.sealed).not.toContain(plain.toString('base64').slice(0, 20));
  expect(unwrap([other, key], wrapped, 'pages|1/a')).toEqual(plain);
  expect(() => unwrap([key], wrapped, 'pages|1/b')).toThrow();
  expect(() => unwrap([other], wrapped, 'pages|1/a')).toThrow(/not the one given/);
});
