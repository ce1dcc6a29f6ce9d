import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { killOnExit, startPortProxy } from '@tocsin/testkit'
import { root } from '../../scripts/build-stamp.mjs'
import { call } from './http-client.ts'

const POLL_MS = 50

/** The reverse proxy that distributes requests to the instances. */
export interface ReverseProxy {
  port: number
  /** Why nginx is not used, or null. */
  noNginxReason: string | null
  close(): Promise<void>
}

export const readSite = () => readFileSync(join(root, 'ops/nginx.conf'), 'utf8')

/** Starts nginx with the configuration of the site, or a TCP proxy if nginx is not installed. */
export async function startReverseProxy(
  dir: string,
  ports: readonly number[],
  site = readSite(),
): Promise<ReverseProxy> {
  const program = findNginx()
  if (program === null) return startPlainReverseProxy(ports)
  const port = await findFreePort()
  const folder = join(dir, 'nginx')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'nginx.conf'), createConfig(folder, adaptSnippet(site, port, ports)))
  const child = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const close = killOnExit(child, 'SIGTERM')
  while ((await call({ port, path: '/' })).status === 0) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`nginx ended before it answered, see ${folder}/error.log`)
    await delay(POLL_MS)
  }
  return { port, noNginxReason: null, close }
}

export function findNginx(): string | null {
  const programPaths = ['nginx', '/usr/sbin/nginx', '/usr/local/sbin/nginx']
  return programPaths.find((programPath) => spawnSync(programPath, ['-v']).status === 0) ?? null
}

/**
 * Returns the nginx configuration for these instances, without TLS, because tests have no
 * certificate.
 */
export function adaptSnippet(site: string, port: number, ports: readonly number[]): string {
  return site
    .replace(/server \{\n {2}listen 80;[\s\S]*?\n\}\n/, '')
    .replace(/listen 443 ssl;/, `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_certificate.*\n/gm, '')
    .replace(/^( *)server 127\.0\.0\.1:\d+(.*;)\n(?: *server 127.*\n)*/gm, (_, indent: string, rest: string) =>
      ports.map((instancePort) => `${indent}server 127.0.0.1:${instancePort}${rest}\n`).join(''),
    )
}

function createConfig(folder: string, snippet: string): string {
  const tempFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return [
    `pid ${folder}/nginx.pid;`,
    `error_log ${folder}/error.log warn;`,
    'worker_processes 1;',
    'worker_rlimit_nofile 16384;',
    'events { worker_connections 8192; }',
    'http {',
    `access_log ${folder}/access.log;`,
    ...tempFolders.map((name) => `${name}_temp_path ${folder}/${name};`),
    snippet,
    '}',
  ].join('\n')
}

/**
 * Starts a TCP proxy that connects to the instances in turn, and to the next one if one does not
 * accept the connection.
 */
async function startPlainReverseProxy(ports: readonly number[]): Promise<ReverseProxy> {
  let connectionCount = 0
  const proxy = await startPortProxy(
    () => {
      connectionCount += 1
      return ports.map((_, index) => ports[(index + connectionCount) % ports.length] ?? 0)
    },
    { keepAddress: true },
  )
  return { port: proxy.port, noNginxReason: 'there is no nginx on this machine', close: proxy.close }
}
