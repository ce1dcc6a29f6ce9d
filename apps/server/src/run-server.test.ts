import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const childPath = fileURLToPath(new URL('../test/support/run-server-test-child.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'tocsin-crash-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface ProcessResult {
  code: number | null
  signal: NodeJS.Signals | null
  out: string
  err: string
}

function runChild(kind: string, ...options: string[]): Promise<ProcessResult> {
  const { PATH } = process.env
  const env = { PATH, DATA_DIR: folder, DRAIN_NOTICE_SECONDS: '30' }
  const childProcess = spawn(process.execPath, [...options, '--import', import.meta.resolve('tsx'), childPath, kind], {
    cwd: folder,
    env,
  })
  const output = { out: '', err: '' }
  childProcess.stdout.on('data', (text) => (output.out += text))
  childProcess.stderr.on('data', (text) => (output.err += text))
  return new Promise((resolve) => childProcess.on('close', (code, signal) => resolve({ code, signal, ...output })))
}

test.each(['rejection', 'exception'])(
  'runServer: logs an unhandled %s with its stack, stops all parts and ends with code 1',
  async (kind) => {
    const { code, out, err } = await runChild(kind)
    const line = out.split('\n').find((text) => text.startsWith('{'))
    expect(JSON.parse(line ?? 'null')).toMatchObject({
      level: 60,
      msg: 'unhandled error, the process ends',
      err: {
        type: 'Error',
        message: 'a defect',
        stack: expect.arrayContaining([expect.stringMatching(/run-server-test-child/)]),
      },
    })
    expect(out).toMatch(/the part has stopped\n$/)
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('a defect') })
  },
)

test('runServer: ends a failed process with code 1 after the drain notice period when a part does not stop', async () => {
  const { code, out, err } = await runChild('hang')
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('ECONNREFUSED') })
  expect(out).toMatch(/the notice period has ended\n$/)
})

test('runServer: prints the reason of a failed query, without its parameters', async () => {
  const { code, out, err } = await runChild('query')
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('deadlock detected (query: select $1)\n') })
  expect(out + err).not.toContain('a secret parameter')
})

test('runServer: a process that runs out of memory ends immediately, so its supervisor starts it again', async () => {
  const { code, signal, err } = await runChild('memory', '--max-old-space-size=128')
  expect(err).toContain('JavaScript heap out of memory')
  // systemd counts this signal as a failure, so `Restart=on-failure` starts the process again.
  expect(signal ?? code).toBe('SIGABRT')
  const unit = readFileSync(new URL('../../../ops/tocsin.service', import.meta.url), 'utf8')
  expect(unit).toMatch(/^Restart=on-failure$/m)
})
