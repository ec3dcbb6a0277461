/** Suites that need a Docker engine live in `*.containers.spec.ts`; everything else runs anywhere. */
const base = {
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleFileExtensions: ['ts', 'js', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  extensionsToTreatAsEsm: [],
};

module.exports = {
  maxWorkers: 2,
  projects: [
    {
      ...base,
      displayName: 'suites',
      testMatch: ['<rootDir>/test/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.containers\\.spec\\.ts$'],
    },
    { ...base, displayName: 'containers', testMatch: ['<rootDir>/test/**/*.containers.spec.ts'] },
  ],
};
