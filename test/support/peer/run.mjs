/** Runs main.ts without a build: TypeScript is translated as it is loaded, the way the suites do it. */
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { transformSync } from '@swc/core';

Module._extensions['.ts'] = (module, filename) =>
  module._compile(
    transformSync(readFileSync(filename, 'utf8'), {
      filename,
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
    }).code,
    filename,
  );

createRequire(import.meta.url)('./main.ts');
