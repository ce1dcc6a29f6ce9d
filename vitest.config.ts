import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/**/src/**/*.test.ts', 'apps/**/{src,test}/**/*.test.{ts,tsx}', 'contracts/**/*.test.ts'],
    // Files wait for databases and chains more than they compute: one at a time, vitest's choice for two cores, would leave one of them idle.
    maxWorkers: 3,
    globalSetup: 'packages/testkit/src/global-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
