import { expect, test } from 'vitest'
import { run } from './run.ts'

const runScript = (script: string) => run(process.execPath, ['--eval', script], { quiet: true })

test('run: returns the exit code, and stdout without the warnings on stderr', async () => {
  const { code, stdout, output } = await runScript('console.error("warning"); console.log("{}"); process.exitCode = 3')
  expect({ code, stdout }).toEqual({ code: 3, stdout: '{}\n' })
  expect(output).toContain('warning')
})

test('run: decodes characters that are split between two chunks of the output', async () => {
  // Chunks have an even number of bytes, so one ends within a character of two bytes.
  const { stdout } = await runScript('process.stdout.write("a" + "é".repeat(200_000))')
  expect(stdout.replaceAll('é', '')).toBe('a')
})
