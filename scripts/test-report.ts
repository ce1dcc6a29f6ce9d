import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

export interface TestResult {
  name: string
  ms: number
  /** Message of the failure, or null if the test passed. */
  failure: string | null
}

/** The part of Vitest's JSON report that is used here. */
export interface UnitReport {
  numPassedTests: number
  numFailedTests: number
  testResults: {
    name: string
    status: string
    /** Reason why the file could not be loaded; empty if it was loaded. */
    message: string
    assertionResults: { fullName: string; status: string; duration?: number | null; failureMessages: string[] | null }[]
  }[]
}

/** A suite of Playwright's JSON report: a file or a `describe`. */
interface E2eSuite {
  title: string
  suites?: E2eSuite[]
  specs?: {
    title: string
    ok: boolean
    tests: { results: { duration: number; errors: { message?: string }[] }[] }[]
  }[]
}

/** The part of Playwright's JSON report that is used here. */
export interface E2eReport {
  stats: { expected: number; unexpected: number }
  suites: E2eSuite[]
  /** Errors outside of tests, for example of the global set-up. */
  errors: { message?: string }[]
}

/**
 * Number of lines that are shown of a failure. The first lines name the assertion and the values.
 */
const MAX_FAILURE_LINES = 12

export function listUnitTestResults({ testResults }: UnitReport): TestResult[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const path = relative(process.cwd(), name)
    const results = assertionResults.map((test) => ({
      name: `${path}: ${test.fullName}`,
      ms: test.duration ?? 0,
      failure: test.status === 'failed' ? (test.failureMessages ?? []).join('\n') : null,
    }))
    const isExplained = status !== 'failed' || results.some(({ failure }) => failure !== null)
    return isExplained ? results : [...results, { name: path, ms: 0, failure: message }]
  })
}

export function listE2eTestResults({ suites, errors }: E2eReport): TestResult[] {
  const otherErrors = errors.map(({ message = '' }) => ({ name: 'browser tests', ms: 0, failure: message }))
  return [...suites.flatMap(listSuiteResults), ...otherErrors]
}

function listSuiteResults({ title, suites = [], specs = [] }: E2eSuite): TestResult[] {
  const ownSpecs = specs.map((spec) => {
    const results = spec.tests.flatMap((test) => test.results)
    const errors = results.flatMap((result) => result.errors.map(({ message = '' }) => message))
    return {
      name: spec.title,
      ms: Math.max(0, ...results.map(({ duration }) => duration)),
      failure: spec.ok ? null : errors.join('\n'),
    }
  })
  return [...ownSpecs, ...suites.flatMap(listSuiteResults)].map((result) => ({
    ...result,
    name: `${title}: ${result.name}`,
  }))
}

/**
 * Returns a list of the failed tests with the start of their messages, for the end of the output.
 */
export function describeFailures(results: TestResult[]): string {
  const failures = results.filter(({ failure }) => failure !== null)
  return failures
    .map(({ name, failure }) => {
      const lines = stripVTControlCharacters(failure ?? '')
        .trim()
        .split('\n')
      const shownLines = lines.length > MAX_FAILURE_LINES ? [...lines.slice(0, MAX_FAILURE_LINES), '…'] : lines
      return [`FAIL ${name}`, ...shownLines.map((line) => `     ${line}`.trimEnd()), ''].join('\n')
    })
    .join('')
}
