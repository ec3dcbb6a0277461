/**
 * Suites that need a Docker engine live in `*.containers.spec.ts`, the platform on served engines in `*.engines.spec.ts`, those that kill
 * processes in test/faults; everything else runs anywhere.
 */
const base = {
  testEnvironment: 'node',
  setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts'],
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
  // Imported on demand, by the name that the built program has for it.
  moduleNameMapper: { '^(\\./adapters/production/.*)\\.js$': '$1' },
};

module.exports = {
  maxWorkers: 2,
  reporters: ['default', '<rootDir>/test/support/closing-line.js'],
  projects: [
    {
      ...base,
      displayName: 'suites',
      testMatch: ['<rootDir>/test/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.(containers|engines)\\.spec\\.ts$', '<rootDir>/test/faults/'],
    },
    {
      ...base,
      displayName: 'faults',
      testMatch: ['<rootDir>/test/faults/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.cluster\\.spec\\.ts$'],
    },
    { ...base, displayName: 'cluster', testMatch: ['<rootDir>/test/faults/**/*.cluster.spec.ts'] },
    { ...base, displayName: 'engines', testMatch: ['<rootDir>/test/**/*.engines.spec.ts'] },
    { ...base, displayName: 'containers', testMatch: ['<rootDir>/test/**/*.containers.spec.ts'] },
  ],
};
