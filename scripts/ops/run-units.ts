import { readFileSync } from 'node:fs'
import { chown, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DAY_MS } from '@tocsin/protocol/durations'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { productionEnv } from '@tocsin/testkit'
import { parse } from 'yaml'
import { root } from '../build-stamp.mjs'
import {
  createInstallation,
  createOwnedPath,
  type Installation,
  isReady,
  type RunningProcess,
  startProcess,
  USER_ID,
  waitForResponse,
} from './installation.ts'
import { type Directives, getLastValue, noSandboxReason, readUnit, startCommand } from './unit.ts'

// Executes the systemd units of ops/ without systemd, in an installation that matches
// docs/operating.md: node --import tsx scripts/ops/run-units.ts. Fails if a unit does not work.

const CONFIG_ERROR_EXIT_CODE = 78

function assertTrue(isTrue: boolean, failureMessage: string, unitProcess?: RunningProcess): void {
  if (!isTrue) throw new Error(`${failureMessage}${unitProcess ? `\n${unitProcess.output()}` : ''}`)
}

async function stopUnit(name: string, unit: Directives, unitProcess: RunningProcess): Promise<string> {
  const { code, seconds } = await unitProcess.stop()
  assertTrue(code === 0, `${name} ended with ${code} after SIGTERM`, unitProcess)
  const limitSeconds = Number(getLastValue(unit, 'TimeoutStopSec'))
  assertTrue(seconds < limitSeconds, `${name} stopped after ${seconds} s; TimeoutStopSec is ${limitSeconds}`)
  return `exit code 0 after ${seconds.toFixed(1)} s of ${limitSeconds}`
}

async function writeSettings({ folder }: Installation, settings: Record<string, string>): Promise<void> {
  const path = join(folder, 'opt/tocsin/.env')
  await writeFile(
    path,
    Object.entries(settings)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
    { mode: 0o640 },
  )
  if (USER_ID !== null) await chown(path, 0, USER_ID)
}

/** Executes the health check of a container on this machine. Returns its exit code. */
function runHealthCheck([program, ...args]: string[], env: Record<string, string>): Promise<number | null> {
  assertTrue(program === 'node', `A health check of the image uses ${program}`)
  return startProcess(process.execPath, args, { cwd: root, env }).ended
}

async function runServer(installation: Installation): Promise<string> {
  const unit = readUnit('tocsin.service')
  const { folder, databaseUrl, chain } = installation
  const runUnit = () => startCommand(unit, getLastValue(unit, 'ExecStart'), folder)
  const unconfigured = runUnit()
  const code = await unconfigured.ended
  assertTrue(code === CONFIG_ERROR_EXIT_CODE, `Without settings tocsin.service ended with ${code}`, unconfigured)
  assertTrue(
    getLastValue(unit, 'RestartPreventExitStatus') === `${CONFIG_ERROR_EXIT_CODE}`,
    'tocsin.service restarts without settings',
  )

  const port = await findFreePort()
  await writeSettings(installation, { ...productionEnv(databaseUrl, chain), PORT: `${port}` })
  const server = runUnit()
  await waitForResponse(`http://127.0.0.1:${port}/readyz`, server, isReady)
  const healthCommand = JSON.parse(
    /^HEALTHCHECK [^\n]*\n {2}CMD (.*)$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1] ?? '[]',
  )
  const checkHealth = () => runHealthCheck(healthCommand, { PORT: `${port}` })
  assertTrue((await checkHealth()) === 0, 'HEALTHCHECK of the Dockerfile fails')
  const keptAssets = await readdir(join(folder, 'var/lib/tocsin/web-assets')).catch(() => [])
  assertTrue(keptAssets.length > 0, 'tocsin.service keeps no scripts of the build in its StateDirectory', server)
  const stopOutput = await stopUnit('tocsin.service', unit, server)
  assertTrue((await checkHealth()) === 1, 'HEALTHCHECK of the Dockerfile succeeds without a server')
  return `ready; ${stopOutput}; exit code ${code} without settings`
}

async function runBackup({ folder }: Installation): Promise<string> {
  const unit = readUnit('tocsin-backup.service')
  const backups = join(folder, 'var/backups/tocsin')
  const [oldBackup, recentBackup] = [join(backups, '2020-01-01.backup'), join(backups, 'yesterday.backup')]
  for (const [path, days] of [
    [oldBackup, 31.5],
    [recentBackup, 1],
  ] as const) {
    await createOwnedPath(path, 'an earlier backup')
    const modifiedAt = new Date(Date.now() - days * DAY_MS)
    await utimes(path, modifiedAt, modifiedAt)
  }
  const backup = startCommand(unit, getLastValue(unit, 'ExecStart'), folder)
  assertTrue((await backup.ended) === 0, 'tocsin-backup.service failed', backup)
  for (const line of unit.get('ExecStartPost') ?? []) {
    const postProcess = startCommand(unit, line, folder)
    assertTrue((await postProcess.ended) === 0, `ExecStartPost of tocsin-backup.service failed: ${line}`, postProcess)
  }
  const createdBackups = (await readdir(backups)).sort()
  const [name = ''] = createdBackups
  assertTrue(
    createdBackups.length === 2 && /^\d{4}-\d\d-\d\dT\d{4}\.backup$/.test(name) && name !== basename(oldBackup),
    `/var/backups/tocsin has ${createdBackups.join(', ')}`,
  )
  const { length } = await readFile(join(backups, name))
  assertTrue(/verified/i.test(backup.output()), 'tocsin-backup.service did not verify its backup', backup)
  return `${name} has ${length} bytes and was verified; the backup of 31 days ago was deleted`
}

async function runEngine(installation: Installation): Promise<string> {
  const unit = readUnit('tocsin-engine.service')
  const port = await findFreePort()
  // Use a market whose exchange is not reachable. The engine must respond nevertheless.
  const unreachableUrl = `ws://127.0.0.1:${await findFreePort()}`
  await writeSettings(installation, {
    ...{ ENGINE_PORT: `${port}`, ENGINE_KEY: 'key-of-the-check', ENGINE_MARKETS: 'binance:BTC/USDT' },
    ENGINE_BINANCE_URL: unreachableUrl,
  })
  const engine = startCommand(unit, getLastValue(unit, 'ExecStart'), installation.folder)
  await waitForResponse(`http://127.0.0.1:${port}/`, engine, async ({ status }) => status === 426)
  const { services } = parse(readFileSync('compose.yaml', 'utf8'))
  const healthCommand: string[] = services.engine.healthcheck.test.slice(1)
  const checkEngineHealth = () =>
    runHealthCheck(
      healthCommand.map((each) => each.replace(':3600', `:${port}`)),
      {},
    )
  assertTrue((await checkEngineHealth()) === 0, 'The health check of the engine in compose.yaml fails')
  const stopOutput = await stopUnit('tocsin-engine.service', unit, engine)
  assertTrue(
    (await checkEngineHealth()) === 1,
    'The health check of the engine in compose.yaml succeeds without an engine',
  )
  const state = await readdir(join(installation.folder, 'var/lib/tocsin-engine'))
  assertTrue(state.length > 0, 'tocsin-engine.service wrote nothing into its StateDirectory', engine)
  return `answers; ${stopOutput}; state: ${state.join(', ')}`
}

const installation = await createInstallation()
try {
  const { folder } = installation
  for (const path of ['var/backups/tocsin', 'var/lib/tocsin', 'var/lib/tocsin-engine', 'etc/tocsin'])
    await createOwnedPath(join(folder, path))
  await createOwnedPath(join(folder, 'etc/tocsin/backup-passphrase'), 'a passphrase of the check\n')
  console.log(
    noSandboxReason === null
      ? 'With User, NoNewPrivileges, CapabilityBoundingSet, ProtectSystem, ProtectHome, PrivateTmp and LimitNOFILE'
      : `User and the restrictions of the file system and of privileges are skipped: ${noSandboxReason}`,
  )
  console.log(`tocsin.service: ${await runServer(installation)}`)
  console.log(`tocsin-backup.service: ${await runBackup(installation)}`)
  console.log(`tocsin-engine.service: ${await runEngine(installation)}`)
} catch (error) {
  console.log(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await installation.close()
}
process.exit()
