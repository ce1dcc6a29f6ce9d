import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from './run.ts'

/**
 * Time limits that make a test depend on the speed of the machine:
 * docs/decisions/2026-11-22-tests-wait-for-states.md.
 */
const TIMED = [
  /\bvi\.waitFor\(/,
  /performance\.now\(\) - \w+\)\.toBeLess/,
  /toBeVisible\(\{ timeout/,
  /setTimeout\(\d/,
  // Sends 50 requests a second, which exceeds the server's rate limit. `eventually` backs off.
  /\bpoll\(.*(\.call\(|\bfetch\()/,
]

/** Finds tests that assert a duration, or wait for a time instead of a state. */
export function findTimedTests(): Outcome {
  const found = ['apps', 'packages', 'contracts', 'e2e'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.test\.tsx?$/.test(path) && !path.includes('node_modules'))
      .flatMap((path) => timedLines(join(folder, path))),
  )
  return { code: found.length, output: [...found, 'Wait for a state with expect.poll or eventually.', ''].join('\n') }
}

function timedLines(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, at) => (TIMED.some((pattern) => pattern.test(line)) ? [`${path}:${at + 1}`] : []))
}
