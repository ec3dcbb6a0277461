/* eslint-disable @typescript-eslint/no-require-imports -- loaded by node -r, where nothing reads import yet */
/** Lets a child process require TypeScript files, as the tests themselves do. */
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  module._compile(code, filename);
};
