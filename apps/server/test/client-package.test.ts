import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ApiKeyScope } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { addSubscription, startTestSession } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, afterEach, beforeAll, expect, type TestContext, test } from 'vitest'
import { bundleForBrowser, installClient } from '../../../scripts/client-package/install-client.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { createApiKey } from '../src/features/api-keys/service.ts'
import { issueTestAlert } from './support/issue-test-alert.ts'

/** Tests the published client and the examples in a separate project. They use only an API key. */

const root = join(import.meta.dirname, '../../..')
const execute = promisify(execFile)
const parts = useTestDatabaseAndChain()
let server: TestServer
let folder: string
let accountCount = 0
const children: ChildProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-client-'))
  await installClient(folder, [join(root, 'node_modules/ws')])
  server = await startTestServer(parts)
  const { logIndex } = await issue('A first alert')
  const admin = await server.signInAdmin()
  await eventually(async () => {
    const alerts = await admin.call('recentAlerts', { query: { limit: 20 } })
    expect(alerts).toContainEqual(expect.objectContaining({ logIndex, avalancheTx: expect.stringMatching(/^0x/) }))
  })
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(async () => {
  await server?.close()
  await rm(folder, { recursive: true })
})

async function addKey({ withPlan = true } = {}): Promise<string> {
  accountCount += 1
  const login = { email: `trader-${accountCount}@example.com`, password: 'the long password of a trader' }
  const accountId = await createAccount(server.ctx, { ...login, name: 'Trader', role: 'user', verified: true })
  if (withPlan) await addSubscription(server.ctx, accountId, DAY_MS)
  const scopes: ApiKeyScope[] = ['alerts', 'stream', 'verify']
  const auditActor = { actorId: accountId, requestId: 'test' }
  const keyFields = { name: 'Bot', scopes, requestsPerMinute: 600 }
  const owner = await startTestSession(server.ctx, accountId)
  return (await createApiKey(server.ctx, owner, auditActor, keyFields)).secret
}

const issue = (summary: string) =>
  issueTestAlert(server.ctx, summary, { asset: 'ÄTH/USDT', regime: 'Calm "\\', confidence: 90.5 })

/** Starts a program and collects its output. */
function startProgram(command: string, args: string[], env: Record<string, string>) {
  let output = ''
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...env } })
  children.push(child)
  const exited = new Promise((resolve) => child.on('close', resolve))
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      output += data
    })
  }
  return {
    printed: (text: string) => expect.poll(() => output).toContain(text),
    output: () => output,
    /** Resolves when the program has ended and its whole output was read. */
    exited,
    kill() {
      child.kill('SIGKILL')
      return exited
    },
  }
}

async function expectExampleWorks(name: string, command: string, args: string[]): Promise<void> {
  const env = {
    TOCSIN_URL: server.url,
    TOCSIN_KEY: await addKey(),
    NODE_URL: parts.chain.settings.anchor.rpcUrl,
    CURSOR_FILE: join(folder, `${name}.json`),
  }
  const wrongKeyBot = startProgram(command, args, { ...env, TOCSIN_KEY: `tocsin_${'A'.repeat(43)}` })
  await wrongKeyBot.printed('api_key_invalid')
  const bot = startProgram(command, args, env)
  await bot.printed('A first alert')
  await bot.printed('verified')
  await bot.printed('live')
  const [firstSummary, missedSummary, laterSummary] = [
    `${name}: while it runs`,
    `${name}: while it does not`,
    `${name}: after its return`,
  ]
  await issue(firstSummary)
  await bot.printed(firstSummary)
  await bot.printed('anchored')
  await bot.kill()
  await issue(missedSummary)
  const restartedBot = startProgram(command, args, env)
  await restartedBot.printed('live')
  await issue(laterSummary)
  await restartedBot.printed(laterSummary)
  const streamedLines = restartedBot
    .output()
    .split('\n')
    .filter((line) => /^(missed|new) /.test(line))
  expect(streamedLines.map((line) => line.slice(line.indexOf(name)))).toEqual([missedSummary, laterSummary])
  await restartedBot.kill()
}

/** Runs an example with a key of an account without a plan, for which recent alerts are locked. */
async function expectExampleIsRefused(name: string, command: string, args: string[]): Promise<void> {
  const env = {
    TOCSIN_URL: server.url,
    TOCSIN_KEY: await addKey({ withPlan: false }),
    NODE_URL: parts.chain.settings.anchor.rpcUrl,
    CURSOR_FILE: join(folder, `${name}-refused.json`),
  }
  const bot = startProgram(command, args, env)
  await bot.exited
  expect(bot.output()).toContain('refused: No active subscription')
  expect(bot.output()).not.toMatch(/^read |undefined|Error/m)
}

test('client package: has a licence, a readme and no dependencies', async () => {
  const manifest = JSON.parse(await readFile(join(folder, 'node_modules/@tocsin/client/package.json'), 'utf8'))
  expect(manifest.dependencies ?? {}).toEqual({})
  expect(manifest.private).toBeUndefined()
  for (const file of ['README.md', 'LICENSE']) {
    expect(await readFile(join(folder, 'node_modules/@tocsin/client', file), 'utf8')).not.toBe('')
  }
})

test('client package: its types resolve in an empty project, and a type mismatch is a compile error', async () => {
  const checkTypes = async (code: string) => {
    await writeFile(join(folder, 'check.ts'), code)
    const flags = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022']
    return execute(process.execPath, [join(root, 'node_modules/typescript-native/bin/tsc'), ...flags, 'check.ts'], {
      cwd: folder,
    }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
  }
  const writeCode = (type: string) => `
    import { byApiKey, openAlertStream, type StreamState } from '@tocsin/client'
    import { parseBundle, verifyBundle } from '@tocsin/client/proof'
    const stream = openAlertStream({
      url: 'wss://tocsin.example/ws?auth=key',
      authenticate: byApiKey('tocsin_x'),
      onAlert: (alert) => { const index: ${type} = alert.logIndex; const verdict = alert.outcome?.verdict },
    })
    export const state: StreamState = stream.state
    export const verify = verifyBundle
    export const version: 1 | 2 = parseBundle({}).version
  `
  expect(await checkTypes(writeCode('number'))).toBe('')
  expect(await checkTypes(writeCode('string'))).toContain("Type 'number' is not assignable to type 'string'")
})

test('client package: is bundled for browsers without modules of Node.js', async () => {
  const { code, imports } = await bundleForBrowser(folder)
  expect(imports).toEqual([])
  expect(code).toContain('auth_key')
})

const typeScriptExample = ['--import', join(root, 'node_modules/tsx/dist/esm/index.mjs'), 'bot.ts']

test('client package: the example in TypeScript reads, verifies, streams and resumes with a key', async () => {
  await copyFile(join(root, 'examples/bot.ts'), join(folder, 'bot.ts'))
  await expectExampleWorks('typescript', process.execPath, typeScriptExample)
})

test('client package: without a plan, the example in TypeScript prints the refusal and exits', async () => {
  await copyFile(join(root, 'examples/bot.ts'), join(folder, 'bot.ts'))
  await expectExampleIsRefused('typescript', process.execPath, typeScriptExample)
})

const pythonExample = ['-u', join(root, 'examples/bot.py')]

async function skipWithoutPython({ skip }: TestContext): Promise<void> {
  const hasPython = await execute('python3', ['--version']).then(
    () => true,
    () => false,
  )
  if (!hasPython) skip('python3 is not installed')
}

test('client package: the example in Python reads, verifies, streams and resumes with a key', async (context) => {
  await skipWithoutPython(context)
  await expectExampleWorks('python', 'python3', pythonExample)
})

test('client package: without a plan, the example in Python prints the refusal and exits', async (context) => {
  await skipWithoutPython(context)
  await expectExampleIsRefused('python', 'python3', pythonExample)
})

test('client package: the example in Python resumes when its stored cursor belongs to a former, longer log', async (context) => {
  await skipWithoutPython(context)
  const formerLog = `0x${'11'.repeat(32)}`
  const cursorFile = join(folder, 'replaced-log.json')
  await writeFile(cursorFile, JSON.stringify({ lastIndex: 5_000, logId: formerLog }))
  const env = { TOCSIN_URL: server.url, TOCSIN_KEY: await addKey(), CURSOR_FILE: cursorFile }
  const startBot = () =>
    startProgram('python3', pythonExample, { ...env, NODE_URL: parts.chain.settings.anchor.rpcUrl })
  const bot = startBot()
  await expect.poll(() => readFile(cursorFile, 'utf8')).toMatch(/"logId": "0x(?!1{64})/)
  await bot.kill()
  const { logIndex } = await issue('While it does not run')
  const restartedBot = startBot()
  await restartedBot.printed('live')
  expect(restartedBot.output()).toContain(`new ${logIndex} `)
  expect(bot.output()).toContain('some missed alerts were not sent')
  expect(restartedBot.output()).not.toContain('some missed alerts were not sent')
})

test('client package: the example in Python reports a connection that ends inside a message', async (context) => {
  await skipWithoutPython(context)
  const brokenServer = createServer((_request, response) => response.end('[]'))
  brokenServer.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    // Read the socket to its end, so that the server can close.
    socket.on('error', () => {}).resume()
    // A text message of 100 bytes, of which only a part is sent.
    socket.end(Buffer.concat([Buffer.from([0x81, 100]), Buffer.from('{"type":"new')]))
  })
  await new Promise<void>((resolve) => brokenServer.listen(0, '127.0.0.1', resolve))
  const { port } = brokenServer.address() as AddressInfo
  const env = { TOCSIN_URL: `http://127.0.0.1:${port}`, CURSOR_FILE: join(folder, 'broken-message.json') }
  const bot = startProgram('python3', pythonExample, env)
  const lostMessage = 'connection lost: it ended inside a message'
  await Promise.race([bot.printed(lostMessage), bot.exited])
  expect(bot.output()).toContain(lostMessage)
  await bot.kill()
  await new Promise((resolve) => brokenServer.close(resolve))
})
