import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CliEnvironment } from '@tocsin/server/cli/command.ts'
import { runCli } from '@tocsin/server/cli/run-cli.ts'
import { expect, onTestFinished, test } from 'vitest'
import { lockDataDir } from './data-lock.ts'
import { borrowDemo } from './demo-backends.ts'
import { prepareNextSignerKey } from './demo-secrets.ts'

test('borrowDemo: a command says that the demo is still starting when its database does not run yet', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-starting-demo-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const lock = await lockDataDir(dir)
  const errors: string[] = []
  const cli: CliEnvironment = {
    env: { DATA_DIR: dir },
    folder: dir,
    version: '0.0.0-test',
    program: 'npm run tocsin --',
    out() {},
    err: (line) => errors.push(line),
    readSecret: async () => '',
    isInteractive: false,
    verifyAlert: async () => 0,
    demo: { borrowDemo, prepareNextSignerKey },
  }
  expect(await runCli(['doctor'], cli)).toBe(1)
  expect(errors).toEqual([expect.stringMatching(/^The demo is still starting: .*Try again/)])
  lock.release()
})
