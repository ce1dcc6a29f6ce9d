import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest. They start first: one that starts last would run alone at the end.
 */
const longest = [
  'apps/server/test/failpoints.test.ts',
  'apps/server/test/payment-failpoints.test.ts',
  'apps/server/src/features/feed/hostile-feed.test.ts',
  'apps/server/test/alerts-in-log.test.ts',
  'apps/server/test/fresh-alerts.test.ts',
  'apps/server/src/features/accounts/limits.test.ts',
  'apps/server/src/features/accounts/sign-up.test.ts',
  'apps/server/src/features/tlog/anchor-log.test.ts',
  'apps/server/src/db/leader.test.ts',
  'apps/server/test/readiness.test.ts',
  'apps/server/test/database-errors.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((path) => moduleId.endsWith(`/${path}`))
      return at === -1 ? longest.length : at
    }
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const defaultOrder = await super.sort(files)
    return defaultOrder.sort((a, b) => group(a) - group(b) || rank(a) - rank(b))
  }
}

/**
 * The test files of the web app that mock modules. They run isolated, because other files would
 * otherwise reuse cached modules that have imported the mocks.
 */
const webFilesWithMocks = ['src', 'test'].flatMap((folder) => {
  const path = `apps/web/${folder}`
  return readdirSync(join(import.meta.dirname, path), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.test\.tsx?$/.test(file))
    .map((file) => `${path}/${file}`)
    .filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes('vi.mock('))
})

export default defineConfig({
  test: {
    // Test files mostly wait for databases and chains. On two cores vitest would use one worker by
    // default and leave a core idle.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Timeouts only end tests that hang. Tests wait for a state, so they also pass on a busy
    // machine, however long they take.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // Failure messages contain whole lists, so that failures on other machines can be explained.
    chaiConfig: { truncateThreshold: 2_000 },
    projects: [
      {
        extends: true,
        test: {
          name: 'server',
          include: [
            'packages/**/src/**/*.test.ts',
            'apps/{demo,engine,server,verify}/{src,test}/**/*.test.ts',
            'contracts/**/*.test.ts',
            'scripts/**/*.test.ts',
            'fault-tests/**/*.test.ts',
            'bench/{api,engine,fanout,table}/*.test.ts',
          ],
          globalSetup: 'packages/testkit/src/global-setup.ts',
          setupFiles: 'packages/proof/test/support/recover-once-test-bed.ts',
          // A worker reuses its loaded modules for the next test file:
          // docs/decisions/2026-11-22-tests-on-two-cores.md.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'web',
          include: ['apps/web/{src,test}/**/*.test.{ts,tsx}'],
          exclude: webFilesWithMocks,
          setupFiles: ['apps/web/test/support/settle-imports.ts', 'apps/web/test/support/wait-long.ts'],
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'web with mocks',
          include: webFilesWithMocks,
          setupFiles: 'apps/web/test/support/wait-long.ts',
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
