import { defineConfig } from 'vitest/config'

/** Changes every text before any screen is loaded, so it has modules of its own. */
const otherLanguage = 'apps/web/src/texts/second-language.test.tsx'

export default defineConfig({
  test: {
    // Files wait for databases and chains more than they compute: one at a time, vitest's choice for two cores, would leave one of them idle.
    maxWorkers: 3,
    // Limits only end what hangs. Tests wait for a state and pass on a busy machine too, however long it takes.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'server',
          include: [
            'packages/**/src/**/*.test.ts',
            'apps/{server,verify}/{src,test}/**/*.test.ts',
            'contracts/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          globalSetup: 'packages/testkit/src/global-setup.ts',
          // What is loaded is kept for a worker's next file: docs/decisions/2026-11-22-tests-on-two-cores.md.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'web in another language', include: [otherLanguage], sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'web',
          include: ['apps/web/src/**/*.test.{ts,tsx}'],
          exclude: [otherLanguage],
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
