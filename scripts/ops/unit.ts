import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../build-stamp.mjs'
import { type RunningProcess, startProcess, USER_ID } from './installation.ts'

// Executes the commands of a systemd unit without systemd.

/** Directives of the `[Service]` section. Each has its values in the order of the file. */
export type Directives = Map<string, string[]>

/**
 * Directives that this check does not execute: they decide when systemd runs the commands again,
 * and with which priority.
 */
const IGNORED_DIRECTIVES = ['Type', 'Restart', 'RestartSec', 'Nice', 'IOSchedulingClass']
const EXECUTED_DIRECTIVES = [
  ...['WorkingDirectory', 'ExecStart', 'ExecStartPost', 'User', 'Environment', 'StateDirectory', 'ReadWritePaths'],
  ...['RestartPreventExitStatus', 'TimeoutStopSec', 'LimitNOFILE', 'CapabilityBoundingSet', 'NoNewPrivileges'],
  ...['PrivateTmp', 'ProtectHome', 'ProtectSystem'],
]

/** The reason why the unit's restrictions of the process cannot be applied. Null if they can. */
export const noSandboxReason =
  USER_ID === null ? 'not root' : spawnSync('unshare', ['-m', 'true']).status === 0 ? null : 'no namespaces'

/**
 * Path at which the unit sees the installation. The unit has its own empty /tmp, so it would not
 * see an installation in /tmp at its own path.
 */
const MOUNT_PATH = '/mnt'

export function readUnit(name: string): Directives {
  const [, service = ''] = readFileSync(join(root, 'ops', name), 'utf8').split('[Service]\n')
  const directives: Directives = new Map()
  for (const [, key = '', value = ''] of (service.split('\n[')[0] ?? '').matchAll(/^(\w+)=(.*)$/gm)) {
    if (![...EXECUTED_DIRECTIVES, ...IGNORED_DIRECTIVES].includes(key))
      throw new Error(`${name}: this check does not know ${key}`)
    directives.set(key, [...(directives.get(key) ?? []), value])
  }
  return directives
}

export const getLastValue = (unit: Directives, name: string) => unit.get(name)?.at(-1) ?? ''

/** Splits a command line as systemd does: it removes quotes, and %% is a percent sign. */
function splitCommand(line: string): string[] {
  return Array.from(line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, singleQuoted, doubleQuoted, unquoted]) =>
    (singleQuoted ?? doubleQuoted ?? unquoted ?? '').replaceAll('%%', '%'),
  )
}

/** Starts one command of a unit in the installation in `folder`. */
export function startCommand(unit: Directives, line: string, folder: string): RunningProcess {
  const base = noSandboxReason === null ? MOUNT_PATH : folder
  const rewritePaths = (text: string) =>
    text
      .replaceAll('/usr/bin/node', process.execPath)
      .replace(/(?<=^|[\s='])\/(?=(opt|etc|var\/backups|var\/lib)\/tocsin)/g, `${base}/`)
  const environment = (unit.get('Environment') ?? []).flatMap((each) => splitCommand(rewritePaths(each)))
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin',
    ...Object.fromEntries(environment.map((each) => each.split(/=(.*)/s) as [string, string])),
  }
  const command = splitCommand(rewritePaths(line))
  const [program = '', ...args] =
    noSandboxReason === null ? createSandboxCommand(unit, folder, rewritePaths, command) : command
  return startProcess(program, args, {
    cwd: noSandboxReason === null ? '/' : rewritePaths(getLastValue(unit, 'WorkingDirectory')),
    env,
  })
}

/**
 * Returns a command that runs the given one with the restrictions of the unit, in a mount
 * namespace. Needs root.
 */
function createSandboxCommand(
  unit: Directives,
  folder: string,
  rewritePaths: (text: string) => string,
  command: string[],
): string[] {
  const isEnabled = (name: string) => getLastValue(unit, name) === 'yes'
  const state = getLastValue(unit, 'StateDirectory')
  const writablePaths = [getLastValue(unit, 'ReadWritePaths'), state && `/var/lib/${state}`]
    .filter(Boolean)
    .map(rewritePaths)
  const packagesFolder = `${MOUNT_PATH}/opt/tocsin/node_modules`
  const lines = [
    'set -e',
    'mount --make-rprivate /',
    `mount --rbind '${folder}' ${MOUNT_PATH}`,
    // Replace the symbolic link to the npm packages with a bind mount, because the user of the unit
    // may have no access to a parent folder of its target.
    `[ ! -L ${packagesFolder} ] || { rm ${packagesFolder} && mkdir ${packagesFolder}; }`,
    `mount --bind '${join(root, 'node_modules')}' ${packagesFolder}`,
    ...writablePaths.map((path) => `mount --bind ${path} ${path}`),
    ...(getLastValue(unit, 'ProtectSystem') === 'strict'
      ? [
          // Like systemd, remount everything read-only except /dev, /proc, /sys and the writable
          // folders.
          `awk '{ print $2 }' /proc/self/mounts | while read -r at; do case "$at" in`,
          `/dev|/dev/*|/proc|/proc/*|/sys|/sys/*${writablePaths.map((path) => `|${path}`).join('')}) ;;`,
          `*) mount -o remount,bind,ro "$at" 2> /dev/null || true ;;`,
          'esac; done',
        ]
      : []),
    ...(isEnabled('PrivateTmp')
      ? ['mount -t tmpfs -o mode=1777 tmpfs /tmp', 'mount -t tmpfs -o mode=1777 tmpfs /var/tmp']
      : []),
    ...(isEnabled('ProtectHome') ? ['for at in /home /root; do mount -t tmpfs -o mode=000,ro tmpfs $at; done'] : []),
    // Ignore failures, because a container may not allow raising the limit.
    ...(unit.has('LimitNOFILE')
      ? [`prlimit --pid $$ --nofile=${getLastValue(unit, 'LimitNOFILE')} 2> /dev/null || true`]
      : []),
    `cd ${rewritePaths(getLastValue(unit, 'WorkingDirectory'))}`,
    'exec "$@"',
  ]
  const dropPrivilegesArgs = [
    'setpriv',
    `--reuid=${USER_ID}`,
    `--regid=${USER_ID}`,
    '--clear-groups',
    '--inh-caps=-all',
  ]
  if (isEnabled('NoNewPrivileges')) dropPrivilegesArgs.push('--no-new-privs')
  if (unit.has('CapabilityBoundingSet')) dropPrivilegesArgs.push('--bounding-set=-all')
  return ['unshare', '-m', 'sh', '-c', lines.join('\n'), 'sh', ...dropPrivilegesArgs, ...command]
}
