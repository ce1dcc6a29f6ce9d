import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import {
  describeFailures,
  type E2eReport,
  listE2eTestResults,
  listUnitTestResults,
  type UnitReport,
} from './test-report.ts'

const unitReport: UnitReport = {
  numPassedTests: 1,
  numFailedTests: 1,
  testResults: [
    {
      name: resolve('packages/a.test.ts'),
      status: 'failed',
      message: '',
      assertionResults: [
        { fullName: 'adds', status: 'passed', duration: 3, failureMessages: [] },
        {
          fullName: 'subtracts',
          status: 'failed',
          duration: null,
          failureMessages: ['AssertionError: \u001b[31mexpected 1 to be 2\u001b[39m'],
        },
      ],
    },
    { name: resolve('packages/b.test.ts'), status: 'failed', message: 'Cannot find module', assertionResults: [] },
  ],
}

const e2eReport: E2eReport = {
  stats: { expected: 1, unexpected: 1 },
  suites: [
    {
      title: 'c.test.ts',
      specs: [{ title: 'opens', ok: true, tests: [{ results: [{ duration: 5, errors: [] }] }] }],
      suites: [
        {
          title: 'phone',
          specs: [
            {
              title: 'closes',
              ok: false,
              tests: [{ results: [{ duration: 7, errors: [{ message: Array(20).fill('line').join('\n') }] }] }],
            },
          ],
        },
      ],
    },
  ],
  errors: [{ message: 'The set-up failed' }],
}

it('describeFailures: names failed tests and unreadable files of Vitest with their messages', () => {
  const results = listUnitTestResults(unitReport)
  expect(results.map(({ name, ms }) => ({ name, ms }))).toEqual([
    { name: 'packages/a.test.ts: adds', ms: 3 },
    { name: 'packages/a.test.ts: subtracts', ms: 0 },
    { name: 'packages/b.test.ts', ms: 0 },
  ])
  expect(describeFailures(results)).toBe(
    [
      'FAIL packages/a.test.ts: subtracts',
      '     AssertionError: expected 1 to be 2',
      'FAIL packages/b.test.ts',
      '     Cannot find module',
      '',
    ].join('\n'),
  )
})

it('describeFailures: shortens long messages of Playwright and names errors outside of tests', () => {
  const results = listE2eTestResults(e2eReport)
  expect(results.map(({ name, ms }) => ({ name, ms }))).toEqual([
    { name: 'c.test.ts: opens', ms: 5 },
    { name: 'c.test.ts: phone: closes', ms: 7 },
    { name: 'browser tests', ms: 0 },
  ])
  expect(describeFailures(results).split('\n')).toEqual([
    'FAIL c.test.ts: phone: closes',
    ...Array(12).fill('     line'),
    '     …',
    'FAIL browser tests',
    '     The set-up failed',
    '',
  ])
})

it('describeFailures: is empty when all tests passed', () => {
  expect(describeFailures([{ name: 'a', ms: 1, failure: null }])).toBe('')
})
