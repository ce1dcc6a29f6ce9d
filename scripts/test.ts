import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildIfNeeded } from './build-if-needed.ts'
import { buildMissingContracts } from './build-missing-contracts.ts'
import { runChecks } from './check.ts'
import { findChromium } from './find-chromium.ts'
import { runTool } from './run.ts'
import {
  describeFailures,
  type E2eReport,
  listE2eTestResults,
  listUnitTestResults,
  type TestResult,
  type UnitReport,
} from './test-report.ts'

interface StageCounts {
  passed: number
  failed: number
}

const SLOWEST_TEST_COUNT = 20
const results: TestResult[] = []
const failedChecks: TestResult[] = []

const UNIT_REPORT = '.cache/unit-report.json'
const E2E_REPORT = '.cache/e2e-report.json'

async function runCheckStage(): Promise<StageCounts> {
  const checks = await runChecks()
  failedChecks.push(...checks.filter(({ failure }) => failure !== null))
  return { passed: checks.length - failedChecks.length, failed: failedChecks.length }
}

/**
 * Runs the unit tests and prints their output at the end in one piece. They run in parallel with
 * the end-to-end tests, which spend half of their time waiting:
 * docs/decisions/2026-11-22-tests-on-two-cores.md.
 */
async function runUnitTests(): Promise<StageCounts> {
  const { code, output } = await runTool(
    'vitest',
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${UNIT_REPORT}`],
    // Set the environment variable, because the option `--maxWorkers` does not apply to Vitest
    // projects that set their own number of workers.
    { quiet: true, env: isChosen('e2e') ? { VITEST_MAX_WORKERS: '2' } : {} },
  )
  console.log(output)
  const report = readReport<UnitReport>(UNIT_REPORT)
  if (!report) return { passed: 0, failed: 1 }
  results.push(...listUnitTestResults(report))
  const failed = report.numFailedTests || (code === 0 ? 0 : 1)
  return { passed: report.numPassedTests, failed }
}

async function runE2eTests(): Promise<StageCounts> {
  const buildResult = await buildIfNeeded()
  if (buildResult.code !== 0) return { passed: 0, failed: 1 }
  const env = { CHROMIUM_PATH: await findChromium(), PLAYWRIGHT_JSON_OUTPUT_FILE: resolve(E2E_REPORT) }
  const { code } = await runTool(
    'playwright',
    ['test', '--config', 'e2e/playwright.config.ts', '--reporter=list,json'],
    { env },
  )
  const report = readReport<E2eReport>(E2E_REPORT)
  if (!report) return { passed: 0, failed: 1 }
  results.push(...listE2eTestResults(report))
  const { expected, unexpected } = report.stats
  return { passed: expected, failed: unexpected || (code === 0 ? 0 : 1) }
}

function printSlowest(): void {
  console.log(`Slowest ${SLOWEST_TEST_COUNT} tests:`)
  const slowestTests = [...results].sort((a, b) => b.ms - a.ms).slice(0, SLOWEST_TEST_COUNT)
  for (const { name, ms } of slowestTests) console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`)
}

function formatSecondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(0)} s`
}

function readReport<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

mkdirSync('.cache', { recursive: true })
for (const report of [UNIT_REPORT, E2E_REPORT]) rmSync(report, { force: true })

/** `npm test` runs all stages; `npm test -- unit` only the named ones. */
const stages = { check: runCheckStage, unit: runUnitTests, e2e: runE2eTests }
const chosenStages = process.argv.slice(2)
const isChosen = (name: string) => chosenStages.length === 0 || chosenStages.includes(name)
const unknownStages = chosenStages.filter((name) => !(name in stages))
if (unknownStages.length > 0) {
  console.error(`Unknown stage ${unknownStages.join(', ')}. Stages: ${Object.keys(stages).join(', ')}`)
  process.exit(2)
}

const startedAt = performance.now()
const counts: StageCounts[] = []
async function runStage(name: keyof typeof stages): Promise<void> {
  if (!isChosen(name)) return
  const stageStartedAt = performance.now()
  try {
    counts.push(await stages[name]())
  } catch (error) {
    console.error(error)
    counts.push({ passed: 0, failed: 1 })
  }
  console.log(`${name}: ${formatSecondsSince(stageStartedAt)}`)
}
await buildMissingContracts()
await runStage('check')
await Promise.all([runStage('e2e'), runStage('unit')])
printSlowest()
// Print failures at the end, because hosted runs show only the last lines.
console.log(describeFailures([...failedChecks, ...results]))
console.log(`All stages: ${formatSecondsSince(startedAt)}`)
const passedCount = counts.reduce((sum, count) => sum + count.passed, 0)
const failedCount = counts.reduce((sum, count) => sum + count.failed, 0)
console.log(`${passedCount} passed, ${failedCount} failed`)
process.exitCode = failedCount > 0 ? 1 : 0
