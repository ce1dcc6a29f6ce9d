import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Validates the files of ops/ with the tools that read them, and executes them: the units without
// systemd, and the proxies in front of the built product. The queries of the dashboard run in a
// Prometheus that scrapes a server. Tools that are not installed are named and skipped. Nothing is
// installed, and every process that was started is stopped again.

const services = ['tocsin.service', 'tocsin-engine.service', 'tocsin-backup.service']
/** Maximum exposure that systemd-analyze security may report, from 0 (isolated) to 100. */
const MAX_EXPOSURE = 65
/** Timeout that only ends checks that hang. */
const CHECK_TIMEOUT_MS = 600_000

const folder = mkdtempSync(join(tmpdir(), 'tocsin-ops-'))
const readText = (path: string) => readFileSync(path, 'utf8')
const writeTempFile = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const isToolAvailable = (tool: string, args: string[]) => spawnSync(tool, args).status === 0

/**
 * Returns the arguments to verify the units. The path of Node.js is replaced by that of this
 * machine, because the check requires that the programs exist.
 */
function createVerifyArgs(): string[] {
  const paths = [...services, 'tocsin-backup.timer'].map((unit) =>
    writeTempFile(
      unit,
      readText(`ops/${unit}`)
        .replaceAll('/usr/bin/node', process.execPath)
        .replace(/^User=.*\n/m, ''),
    ),
  )
  return ['verify', '--man=no', ...paths]
}

const createScriptCheck = (script: string, ...args: string[]) => ({
  program: process.execPath,
  args: () => ['--import', 'tsx', `scripts/ops/${script}`, ...args],
  isOutputShown: true,
})

const checks: {
  name: string
  tool: string
  /** True if the output of the check is printed even if it succeeds. */
  isOutputShown?: boolean
  /** The program to run, if it is not the tool itself. */
  program?: string
  /** Arguments with which the tool succeeds if it is installed. */
  probe?: string[]
  args: () => string[]
}[] = [
  { name: 'systemd units', tool: 'systemd-analyze', args: createVerifyArgs },
  {
    name: 'exposure of the systemd units',
    tool: 'systemd-analyze',
    args: () => [
      'security',
      '--no-pager',
      '--offline=yes',
      `--threshold=${MAX_EXPOSURE}`,
      ...services.map((unit) => `ops/${unit}`),
    ],
  },
  { name: 'systemd units, executed', tool: 'sh', probe: ['-c', 'true'], ...createScriptCheck('run-units.ts') },
  { name: 'ops/nginx.conf, executed', tool: 'nginx', probe: ['-v'], ...createScriptCheck('run-proxies.ts', 'nginx') },
  {
    name: 'ops/Caddyfile, executed',
    tool: 'caddy',
    probe: ['version'],
    ...createScriptCheck('run-proxies.ts', 'caddy'),
  },
  {
    name: 'Caddyfile, executed',
    tool: 'caddy',
    probe: ['version'],
    ...createScriptCheck('run-proxies.ts', 'compose-caddy'),
  },
  { name: 'ops/alert-rules.yml', tool: 'promtool', args: () => ['check', 'rules', 'ops/alert-rules.yml'] },
  { name: 'ops/alert-rules.test.yml', tool: 'promtool', args: () => ['test', 'rules', 'ops/alert-rules.test.yml'] },
  {
    name: 'ops/grafana-dashboard.json',
    tool: 'prometheus',
    program: process.execPath,
    args: () => ['--import', 'tsx', 'scripts/check-dashboard.ts'],
  },
  {
    name: 'compose.yaml',
    tool: 'docker',
    probe: ['compose', 'version'],
    args: () => {
      // Services read .env from the folder of the file, and the checkout may have none.
      writeTempFile('.env', 'SITE_NAME=a.example\nDATABASE_PASSWORD=x\n')
      return ['compose', '-f', writeTempFile('compose.yaml', readText('compose.yaml')), 'config', '-q']
    },
  },
]

try {
  for (const { name, tool, program = tool, probe = ['--version'], args, isOutputShown } of checks) {
    if (!isToolAvailable(tool, probe)) {
      process.stdout.write(`skipped  ${name}: ${tool} is not installed\n`)
      continue
    }
    const { status, stdout, stderr } = spawnSync(program, args(), {
      encoding: 'utf8',
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder },
      timeout: CHECK_TIMEOUT_MS,
      killSignal: 'SIGTERM',
    })
    process.stdout.write(`${status === 0 ? 'ok       ' : 'PROBLEM  '}${name}\n`)
    if (status !== 0 || isOutputShown) process.stdout.write(`${stdout}${stderr}\n`)
    if (status === 0) continue
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
