import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunResult } from './run.ts'

/**
 * Patterns of time limits and pauses that make a test depend on the speed of the machine:
 * docs/decisions/2026-11-22-tests-wait-for-states.md.
 */
const TIMED_PATTERNS = [
  /\bvi\.waitFor\(/,
  /performance\.now\(\) - \w+\)\.toBeLess/,
  /\w+Seconds\(\)\)\.toBeLess/,
  /toBeVisible\(\{ timeout/,
  /setTimeout\(\d/,
  /\bsetTimeout\(resolve, \d/,
  /\b(pause|delay|sleep|waitForTimeout)\(\d/,
  // A poll that calls the server sends 50 requests a second, which exceeds the rate limit. Tests
  // must use `eventually`, which backs off.
  /\bpoll\(.*(\.call\(|\bfetch\()/,
]

/** Folders that contain the tests of `npm test`. */
const FOLDERS = ['apps', 'packages', 'contracts', 'e2e', 'fault-tests', 'bench', 'scripts']

/**
 * Pauses that are allowed because they are part of what a test simulates. `reason` names the
 * simulated behaviour.
 */
const ALLOWED_TIMEOUTS = [
  {
    path: 'apps/server/src/features/channels/http-sender.test.ts',
    line: 'await pause(2_500)',
    reason: 'a connection that opens only after the time by which a message must be sent',
  },
  {
    path: 'apps/server/test/channel-email.test.ts',
    line: 'await pause(200)',
    reason: 'a mail server that answers only after the check of the plan has expired',
  },
  {
    path: 'apps/server/test/channel-kinds.test.ts',
    line: 'if (pendingUpdates.length === 0) await new Promise((resolve) => setTimeout(resolve, 50))',
    reason: 'long polling: the test server holds the request open as Telegram does',
  },
  {
    path: 'apps/server/src/http/drain.test.ts',
    line: "const server = drain.createServer((_request, response) => void delay(20).then(() => response.end('answered')))",
    reason: 'a slow handler, so that connections wait to be accepted when draining begins',
  },
  {
    path: 'fault-tests/channels/faults.test.ts',
    line: 'await new Promise((resolve) => setTimeout(resolve, 20))',
    reason: 'a slow database, so that the time for one part of the work ends before the work',
  },
]

/** Finds tests that assert a duration, or wait for a time instead of a state. */
export function findTimedTests(): RunResult {
  const foundPlaces = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.test\.tsx?$/.test(path) && !path.includes('node_modules'))
      .map((path) => join(folder, path))
      .flatMap((path) => findTimedLines(path, readFileSync(path, 'utf8'))),
  )
  const isStillUsed = ({ path, line }: (typeof ALLOWED_TIMEOUTS)[number]) => readFileSync(path, 'utf8').includes(line)
  const unusedAllowances = ALLOWED_TIMEOUTS.filter((allowance) => !isStillUsed(allowance)).map(
    ({ path }) => `unused allowance for ${path}`,
  )
  const problems = [...foundPlaces, ...unusedAllowances]
  const hint = 'Wait for a state with expect.poll or eventually.'
  return { code: problems.length, output: [...problems, hint, ''].join('\n') }
}

export function findTimedLines(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const isAllowed = ALLOWED_TIMEOUTS.some((allowance) => allowance.path === path && allowance.line === line.trim())
    return !isAllowed && TIMED_PATTERNS.some((pattern) => pattern.test(line)) ? [`${path}:${index + 1}`] : []
  })
}
