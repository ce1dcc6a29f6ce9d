import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Validates the files of ops/ with the tools that read them. Tools that are not installed are
// named and skipped. Nothing is installed. The queries of the dashboard run in a Prometheus that
// scrapes a server; both are stopped again.

const folder = mkdtempSync(join(tmpdir(), 'tocsin-ops-'))
const read = (path: string) => readFileSync(path, 'utf8')
const write = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const works = (tool: string, args: string[]) => spawnSync(tool, args).status === 0

/** Verified with the programs of this machine, because the check requires that they exist. */
function verifyUnits(): string[] {
  const units = ['tocsin.service', 'tocsin-engine.service', 'tocsin-backup.service', 'tocsin-backup.timer']
  const paths = units.map((unit) =>
    write(
      unit,
      read(`ops/${unit}`)
        .replaceAll('/usr/bin/node', process.execPath)
        .replace(/^User=.*\n/m, ''),
    ),
  )
  return ['verify', '--man=no', ...paths]
}

function testNginx(): string[] {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=alerts.example.com', '-days', '1']
  spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    key,
    '-out',
    certificate,
    ...subject,
  ])
  const site = read('ops/nginx.conf')
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
  const config = `pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; ${site} }`
  return ['-t', '-q', '-p', folder, '-c', write('nginx.conf', config)]
}

const checks: {
  name: string
  tool: string
  /** What runs, if not the tool itself. */
  program?: string
  /** Succeeds if the tool is installed. */
  probe?: string[]
  args: () => string[]
  env?: Record<string, string>
}[] = [
  { name: 'systemd units', tool: 'systemd-analyze', args: verifyUnits },
  { name: 'ops/nginx.conf', tool: 'nginx', probe: ['-v'], args: testNginx },
  {
    name: 'ops/Caddyfile',
    tool: 'caddy',
    probe: ['version'],
    args: () => ['validate', '--config', 'ops/Caddyfile', '--adapter', 'caddyfile'],
  },
  {
    name: 'Caddyfile',
    tool: 'caddy',
    probe: ['version'],
    args: () => ['validate', '--config', 'Caddyfile', '--adapter', 'caddyfile'],
    env: { SITE_NAME: 'alerts.example.com' },
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
    args: () => ['compose', '--env-file', write('env', 'SITE_NAME=a.example\nDATABASE_PASSWORD=x\n'), 'config', '-q'],
  },
]

try {
  for (const { name, tool, program = tool, probe = ['--version'], args, env = {} } of checks) {
    if (!works(tool, probe)) {
      process.stdout.write(`skipped  ${name}: ${tool} is not installed\n`)
      continue
    }
    const { status, stdout, stderr } = spawnSync(program, args(), {
      encoding: 'utf8',
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, ...env },
    })
    process.stdout.write(`${status === 0 ? 'ok       ' : 'PROBLEM  '}${name}\n`)
    if (status === 0) continue
    process.stdout.write(`${stdout}${stderr}\n`)
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
