import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { isBuilt } from './build-stamp.mjs'
import { runChecks } from './check.ts'
import { findChromium } from './find-chromium.ts'
import { run, runTool } from './run.ts'

interface Count {
  passed: number
  failed: number
}

const UNIT_REPORT = '.cache/unit-report.json'
const JOURNEY_REPORT = '.cache/journey-report.json'

async function runUnitTests(): Promise<Count> {
  const { code } = await runTool('vitest', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${UNIT_REPORT}`,
  ])
  const report = readReport<{ numPassedTests: number; numFailedTests: number; numFailedTestSuites: number }>(
    UNIT_REPORT,
  )
  if (!report) return { passed: 0, failed: 1 }
  const failed = report.numFailedTests || (code === 0 ? 0 : 1)
  return { passed: report.numPassedTests, failed }
}

async function runJourneys(): Promise<Count> {
  const built = isBuilt() ? { code: 0 } : await run(process.execPath, ['--import', 'tsx', 'scripts/build.ts'])
  if (built.code !== 0) return { passed: 0, failed: 1 }
  const env = { CHROMIUM_PATH: await findChromium(), PLAYWRIGHT_JSON_OUTPUT_FILE: resolve(JOURNEY_REPORT) }
  const { code } = await runTool(
    'playwright',
    ['test', '--config', 'e2e/playwright.config.ts', '--reporter=list,json'],
    { env },
  )
  const report = readReport<{ stats: { expected: number; unexpected: number; flaky: number } }>(JOURNEY_REPORT)
  if (!report) return { passed: 0, failed: 1 }
  const { expected, unexpected, flaky } = report.stats
  if (flaky > 0)
    console.log(`${flaky} passed only on a second try: each is a fault to be found, of the test or of the product`)
  return { passed: expected + flaky, failed: unexpected || (code === 0 ? 0 : 1) }
}

function readReport<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

mkdirSync('.cache', { recursive: true })
for (const report of [UNIT_REPORT, JOURNEY_REPORT]) rmSync(report, { force: true })

const counts: Count[] = []
for (const stage of [runChecks, runUnitTests, runJourneys]) {
  try {
    counts.push(await stage())
  } catch (error) {
    console.error(error)
    counts.push({ passed: 0, failed: 1 })
  }
}
const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failed = counts.reduce((sum, count) => sum + count.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
