import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { buildIfNeeded } from './build-if-needed.ts'
import { buildMissingContracts } from './build-missing-contracts.ts'
import { measureBundles } from './bundle-budget.ts'
import { findWideLines } from './line-width.ts'
import { checkLock } from './lock-integrity.ts'
import { type RunResult, run, runTool } from './run.ts'
import { formatEnvExample, replaceSettingTables } from './settings-guide.ts'
import type { TestResult } from './test-report.ts'
import { findTimedTests } from './timed-tests.ts'

interface Check {
  name: string
  run(): Promise<RunResult>
}

/**
 * Path of the native compiler. It is explicit, because two packages have a `tsc`:
 * docs/decisions/2026-11-22-native-type-checks.md.
 */
const NATIVE_TSC = 'node_modules/typescript-native/bin/tsc'

const createTypeCheck = (project: string): Check => ({
  name: `types of ${project}`,
  // Use one thread. The compiler then uses half the CPU time, and two checks run in parallel
  // anyway.
  run: () => run(process.execPath, [NATIVE_TSC, '-p', project, '--singleThreaded'], { quiet: true }),
})

// The longest checks come first, because two run at a time.
const checks: Check[] = [
  createTypeCheck('.'),
  { name: 'format and lint', run: () => run('node_modules/.bin/biome', ['ci', '--colors=off', '.'], { quiet: true }) },
  createTypeCheck('packages/engine'),
  createTypeCheck('packages/proof'),
  createTypeCheck('packages/protocol'),
  createTypeCheck('packages/client'),
  // Check server, demo and engine in one program: they have the same options and share most
  // sources.
  createTypeCheck('tsconfig.node.json'),
  createTypeCheck('apps/web'),
  createTypeCheck('apps/verify'),
  {
    name: 'module dependencies follow the layers',
    run: () =>
      runTool('depcruise', ['apps', 'packages', 'contracts', '--config', '.dependency-cruiser.cjs'], { quiet: true }),
  },
  { name: 'package-lock.json has a hash for every package', run: async () => checkLock() },
  { name: 'tests wait for states, not for times', run: async () => findTimedTests() },
  { name: 'line width of comments and Markdown', run: async () => findWideLines() },
  { name: 'unused code and dependencies', run: () => runTool('knip', ['--no-progress'], { quiet: true }) },
  {
    name: '.env.example and the settings in docs/operating.md are current',
    run: async () => {
      const guide = readFileSync('docs/operating.md', 'utf8')
      const current =
        readFileSync('.env.example', 'utf8') === formatEnvExample() && guide === replaceSettingTables(guide)
      return { code: current ? 0 : 1, output: 'Run node --import tsx scripts/write-env-example.ts\n' }
    },
  },
  {
    name: 'bundle sizes are within their budgets',
    run: async () => {
      const buildResult = await buildIfNeeded({ quiet: true })
      if (buildResult.code !== 0) return buildResult
      const { problems, lines } = measureBundles()
      return { code: problems.length, output: [...problems, ...lines, ''].join('\n') }
    },
  },
]

/**
 * Runs all checks that need no running product, or only those whose name starts with `prefix`.
 * Prints one line for each check, and the output of failed checks.
 */
export async function runChecks(prefix = ''): Promise<TestResult[]> {
  await buildMissingContracts()
  const results: TestResult[] = []
  const remainingChecks = checks.filter(({ name }) => name.startsWith(prefix))
  const runNext = async (): Promise<void> => {
    const check = remainingChecks.shift()
    if (!check) return
    const startedAt = performance.now()
    const { code, output } = await check.run()
    const ms = performance.now() - startedAt
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${check.name} (${(ms / 1000).toFixed(1)} s)`)
    if (code !== 0) console.log(output)
    results.push({ name: check.name, ms, failure: code === 0 ? null : output })
    return runNext()
  }
  // Each check uses about one core.
  await Promise.all([runNext(), runNext()])
  return results
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const results = await runChecks(process.argv[2])
  process.exitCode = results.some(({ failure }) => failure !== null) ? 1 : 0
}
