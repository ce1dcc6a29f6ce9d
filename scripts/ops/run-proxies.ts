import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { closeCodes } from '@tocsin/protocol'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { productionEnv } from '@tocsin/testkit'
import { WebSocket } from 'ws'
import { root } from '../build-stamp.mjs'
import {
  createInstallation,
  type Installation,
  isReady,
  type RunningProcess,
  startProcess,
  waitForResponse,
} from './installation.ts'

// Runs a proxy with its configuration file of this repository, with ports and certificate replaced,
// in front of the built product: node --import tsx scripts/ops/run-proxies.ts
// nginx|caddy|compose-caddy. All instances are restarted in turn, as in an update, while readers, a
// publisher and a WebSocket use the product through the proxy. Fails if a request fails or the
// socket does not reconnect.

const HOST = 'alerts.example.com'
const ORIGIN = `https://${HOST}`
const READ_EVERY_MS = 150
const POST_EVERY_MS = 250
const READERS = 2
/** Number of responses that the test waits for before the first restart and after each restart. */
const ANSWERS_BETWEEN_RESTARTS = 20
const ADMIN = { email: 'admin@example.com', password: 'a bell that rings at night' }

interface Site {
  folder: string
  /** Port with TLS. */
  port: number
  /** Port of the redirection to https. */
  plainPort: number
  /** Ports of the instances. */
  instances: number[]
  certificate: string
  key: string
}

interface Proxy {
  file: string
  instances: number
  start(site: Site, file: string): RunningProcess
}

const createEnv = (folder: string) => ({ PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: folder })

/**
 * Replaces each text in the file.
 * @throws Error if a text is not in the file
 */
function replaceInFile(file: string, changes: [string | RegExp, string][]): string {
  return changes.reduce((text, [from, to]) => {
    const changedText = text.replaceAll(typeof from === 'string' ? from : new RegExp(from, 'g'), to)
    if (changedText === text) throw new Error(`The file has no ${from}`)
    return changedText
  }, file)
}

function startCaddy(site: Site, file: string, addresses: string[]): RunningProcess {
  const text = replaceInFile(file, [
    [/^(\S+) \{\n/m.exec(file)?.[0] ?? '', `${HOST} {\n\ttls ${site.certificate} ${site.key}\n`],
    ...addresses.map((address, index): [string, string] => [address, `127.0.0.1:${site.instances[index]}`]),
  ])
  const path = join(site.folder, 'Caddyfile')
  const options = [
    `admin off`,
    `http_port ${site.plainPort}`,
    `https_port ${site.port}`,
    'auto_https disable_certs',
    'default_bind 127.0.0.1',
  ]
  // Disable HTTP/3, because it would also need the UDP port.
  options.push('servers {\n\t\tprotocols h1 h2\n\t}')
  writeFileSync(path, `{\n${options.map((option) => `\t${option}\n`).join('')}}\n${text}`)
  const args = ['run', '--config', path, '--adapter', 'caddyfile']
  return startProcess('caddy', args, { cwd: site.folder, env: createEnv(site.folder) })
}

const proxies: Record<string, Proxy> = {
  nginx: {
    file: 'ops/nginx.conf',
    instances: 2,
    start(site, file) {
      const text = replaceInFile(file, [
        ['listen 80;', `listen 127.0.0.1:${site.plainPort};`],
        ['listen 443 ssl;', `listen 127.0.0.1:${site.port} ssl;`],
        [/ssl_certificate_key .*;/, `ssl_certificate_key ${site.key};`],
        [/ssl_certificate {5}.*;/, `ssl_certificate ${site.certificate};`],
        ['127.0.0.1:3000', `127.0.0.1:${site.instances[0]}`],
        ['127.0.0.1:3001', `127.0.0.1:${site.instances[1]}`],
      ])
      const tempFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const http = ['access_log off;', ...tempFolders.map((name) => `${name}_temp_path ${site.folder}/${name};`), text]
      const path = join(site.folder, 'nginx.conf')
      const mainConfig = `pid ${site.folder}/nginx.pid;\ndaemon off;\nevents {}\nhttp {\n${http.join('\n')}\n}\n`
      writeFileSync(path, mainConfig)
      const args = ['-p', site.folder, '-e', 'stderr', '-c', path]
      return startProcess('nginx', args, { cwd: site.folder, env: createEnv(site.folder) })
    },
  },
  caddy: {
    file: 'ops/Caddyfile',
    instances: 2,
    start: (site, file) => startCaddy(site, file, ['127.0.0.1:3000', '127.0.0.1:3001']),
  },
  'compose-caddy': {
    file: 'Caddyfile',
    instances: 1,
    start: (site, file) => startCaddy(site, file, ['tocsin:3000']),
  },
}

interface Answer {
  status: number
  text: string
  cookies: string[]
}

interface Client {
  send(method: string, path: string, body?: object): Promise<Answer>
  openSocket(): WebSocket
  close(): void
}

/** Creates a client that trusts the certificate and keeps the cookies of its last sign-in. */
function createClient({ port, certificate }: Site): Client {
  const ca = readFileSync(certificate)
  const agent = new Agent({ keepAlive: true, ca, servername: HOST })
  let cookie = ''
  const createHeaders = () => ({ host: HOST, origin: ORIGIN, cookie })
  return {
    async send(method, path, body) {
      const bodyHeaders = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
      const options = { host: '127.0.0.1', port, method, path, agent }
      const answer = await new Promise<Answer>((resolve, reject) => {
        const outgoingRequest = request(
          { ...options, headers: { ...createHeaders(), ...(body ? bodyHeaders : {}) } },
          (incomingResponse) => {
            let text = ''
            incomingResponse.on('data', (chunk) => (text += chunk))
            incomingResponse.on('error', reject)
            const cookies = incomingResponse.headers['set-cookie'] ?? []
            incomingResponse.on('end', () => resolve({ status: incomingResponse.statusCode ?? 0, text, cookies }))
          },
        )
        outgoingRequest.on('error', reject)
        outgoingRequest.end(body && JSON.stringify(body))
      })
      if (answer.cookies.length > 0) cookie = answer.cookies.map((setCookie) => setCookie.split(';')[0]).join('; ')
      return answer
    },
    openSocket: () => new WebSocket(`wss://127.0.0.1:${port}/ws`, { agent, headers: createHeaders() }),
    close: () => agent.destroy(),
  }
}

/** Keeps a WebSocket open and reconnects when it is closed. */
function keepSocketOpen(client: Client) {
  const receivedCloseCodes: number[] = []
  const refusals: string[] = []
  let openedCount = 0
  let isStopping = false
  let socket: WebSocket
  const connectSocket = () => {
    socket = client.openSocket()
    socket.on('open', () => (openedCount += 1))
    socket.on('error', (error) => refusals.push(error.message))
    socket.on('close', (code) => {
      receivedCloseCodes.push(code)
      if (!isStopping) setTimeout(connectSocket, 100)
    })
  }
  connectSocket()
  return {
    receivedCloseCodes,
    connectErrors: refusals,
    getOpenedCount: () => openedCount,
    stop() {
      isStopping = true
      socket.terminate()
    },
  }
}

function startLoad(client: Client) {
  const answers: Record<string, number> = {}
  const failures: string[] = []
  const issuedIds: string[] = []
  let slowestMs = 0
  let isStopping = false
  const requestRepeatedly = async (everyMs: number, method: string, expected: number, send: () => Promise<Answer>) => {
    while (!isStopping) {
      const sentMs = performance.now()
      try {
        const { status, text } = await send()
        answers[status] = (answers[status] ?? 0) + 1
        if (status !== expected)
          failures.push(`${method} ${status} ${text.replace(/,"requestId.*/s, '').slice(0, 200)}`)
        else if (status === 201) issuedIds.push(JSON.parse(text).alert.id)
      } catch (error) {
        failures.push(`${method} ${error}`)
      }
      slowestMs = Math.max(slowestMs, performance.now() - sentMs)
      await delay(everyMs)
    }
  }
  let alertNumber = 0
  const postAlert = () => {
    alertNumber += 1
    const body = { asset: `A${alertNumber}`, summary: 'Volume 4× its mean', confidence: 87.5, priority: 'high' }
    return client.send('POST', '/api/alerts', body)
  }
  const readRepeatedly = (path: string) => requestRepeatedly(READ_EVERY_MS, 'GET', 200, () => client.send('GET', path))
  const users = [
    requestRepeatedly(POST_EVERY_MS, 'POST', 201, postAlert),
    ...Array.from({ length: READERS }, (_, n) => readRepeatedly(n ? '/' : '/api/account')),
  ]
  return {
    answers,
    failures,
    issuedIds,
    slowestMs: () => slowestMs,
    count: () => Object.values(answers).reduce((sum, each) => sum + each, failures.length),
    async stop() {
      isStopping = true
      await Promise.all(users)
    },
  }
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(50)
}

async function testProxy(name: string, { file, instances: count, start: startProxy }: Proxy): Promise<string[]> {
  const installation = await createInstallation()
  const cleanups: (() => unknown)[] = []
  try {
    const site = await prepareProxy(installation, count)
    const launchInstance = (port: number) => startInstance(installation, port)
    const instances = await Promise.all(site.instances.map(launchInstance))
    cleanups.push(() => Promise.all(instances.map(({ stop }) => stop())))
    const proxy = startProxy(site, readFileSync(join(root, file), 'utf8'))
    cleanups.push(() => proxy.stop())
    const client = createClient(site)
    cleanups.push(() => client.close())
    while ((await client.send('GET', '/readyz').catch(() => null))?.status !== 200) {
      if (proxy.hasEnded()) throw new Error(`${name} ended:\n${proxy.output()}`)
      await delay(100)
    }
    const { status, text } = await client.send('POST', '/api/auth/login', ADMIN)
    if (status !== 200) throw new Error(`The sign-in failed: ${text}`)

    const socket = keepSocketOpen(client)
    const load = startLoad(client)
    await waitUntil(
      () => load.count() > ANSWERS_BETWEEN_RESTARTS && socket.getOpenedCount() + socket.connectErrors.length > 0,
    )
    const exitCodes: (number | null)[] = []
    for (const [at, port] of site.instances.entries()) {
      exitCodes.push((await instances[at]?.stop())?.code ?? null)
      instances[at] = await launchInstance(port)
      // Wait for more responses, so that the proxy can find the restarted instance before the next
      // one stops.
      const answeredCount = load.count()
      await waitUntil(() => load.count() > answeredCount + ANSWERS_BETWEEN_RESTARTS)
    }
    await load.stop()
    await waitUntil(() => socket.getOpenedCount() > socket.receivedCloseCodes.length - socket.connectErrors.length)
    const listedAlerts: { id: string }[] = JSON.parse((await client.send('GET', '/api/alerts')).text)
    socket.stop()

    const problems = [...load.failures, ...socket.connectErrors.map((each) => `socket: ${each}`)]
    const listedIds = new Set(listedAlerts.map(({ id }) => id))
    if (load.issuedIds.some((id) => !listedIds.has(id)) || listedAlerts.length !== load.issuedIds.length)
      problems.push(`${load.issuedIds.length} alerts were acknowledged, ${listedAlerts.length} exist`)
    if (exitCodes.some((code) => code !== 0)) problems.push(`The instances ended with ${exitCodes.join(', ')}`)
    const restartCloseCount = socket.receivedCloseCodes.filter((code) => code === closeCodes.restart).length
    if (restartCloseCount === 0 || restartCloseCount < socket.receivedCloseCodes.length)
      problems.push(`The socket was closed with ${socket.receivedCloseCodes.join(', ') || 'nothing'}`)
    console.log(
      `${file}: ${load.count()} requests during ${exitCodes.length} restarts: ${JSON.stringify(load.answers)}, slowest ` +
        `${load.slowestMs().toFixed(0)} ms; ${load.issuedIds.length} alerts; ` +
        `the socket was closed with ${socket.receivedCloseCodes.join(', ')} and opened ${socket.getOpenedCount()} times`,
    )
    if (problems.length > 0)
      console.log(
        proxy
          .output()
          .split('\n')
          .filter((line) => /error/i.test(line))
          .slice(0, 5)
          .join('\n'),
      )
    return problems
  } finally {
    for (const close of cleanups.reverse()) await close()
    await installation.close()
  }
}

async function prepareProxy({ folder }: Installation, count: number): Promise<Site> {
  const proxyFolder = join(folder, 'proxy')
  mkdirSync(proxyFolder)
  // Make the folder readable, because the workers of nginx run as another user.
  chmodSync(proxyFolder, 0o755)
  const [certificate, key] = [join(proxyFolder, 'certificate.pem'), join(proxyFolder, 'key.pem')]
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`, '-days', '1']
  const keyArgs = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate]
  if (spawnSync('openssl', ['req', '-x509', ...keyArgs, ...subject]).status !== 0) throw new Error('openssl failed')
  const [port, plainPort] = [await findFreePort(), await findFreePort()]
  const instances: number[] = []
  for (let index = 0; index < count; index += 1) instances.push(await findFreePort())
  return { folder: proxyFolder, port, plainPort, instances, certificate, key }
}

async function startInstance({ folder, databaseUrl, chain }: Installation, port: number): Promise<RunningProcess> {
  const productFolder = join(folder, 'opt/tocsin')
  const instance = startProcess(process.execPath, ['--enable-source-maps', 'apps/server/dist/main.js'], {
    cwd: productFolder,
    env: {
      ...productionEnv(databaseUrl, chain),
      ...{ PATH: process.env.PATH ?? '', NODE_ENV: 'production', DEMO: 'false', PORT: `${port}`, TRUSTED_PROXIES: '1' },
      ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, ADMIN_SECOND_FACTOR: 'false' },
    },
  })
  await waitForResponse(`http://127.0.0.1:${port}/readyz`, instance, isReady)
  return instance
}

const name = process.argv[2] ?? ''
const proxy = proxies[name]
if (!proxy) throw new Error(`Usage: run-proxies.ts ${Object.keys(proxies).join('|')}`)
try {
  const problems = await testProxy(name, proxy)
  for (const problem of new Set(problems)) {
    console.log(`${problems.filter((each) => each === problem).length} times: ${problem}`)
  }
  process.exitCode = problems.length === 0 ? 0 : 1
} catch (error) {
  console.log(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
process.exit()
