import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { killOnExit } from '@tocsin/testkit'
import { build } from 'esbuild'
import { root } from '../../scripts/build-stamp.mjs'
import { serverBundleOptions } from '../../scripts/server-bundle.ts'
import type { TargetSettings } from './target.ts'

/** Timeout that only ends tests that hang. */
const EXIT_TIMEOUT_MS = 120_000

/** A child process that has loaded the server's sources and waits for its settings. */
export interface Target {
  /**
   * Starts the server with a failpoint and calls `runWhileUp` once it is up. Settles only after the
   * process has ended, because a running server would occupy the port of the next one.
   * @throws Error with the server's output, unless it killed itself
   */
  runUntilCrash(order: TargetSettings, runWhileUp: () => Promise<void>): Promise<void>
  /**
   * Starts the server without a failpoint, calls `runWhileUp` once it is up, and ends it with
   * `signal`.
   */
  runServer(
    config: TargetSettings['config'],
    runWhileUp: () => Promise<void>,
    signal?: 'SIGTERM' | 'SIGKILL',
    clockFile?: string,
  ): Promise<void>
  kill(): Promise<void>
}

const HTTP_THREAD = 'apps/server/src/features/channels/http-thread.ts'
/** Bundles the server and its packages into one file. */
export async function bundleTarget(
  outfile: string,
  entry = 'fault-tests/failpoints/target.ts',
  from = root,
): Promise<void> {
  await build({
    absWorkingDir: from,
    entryPoints: {
      [basename(outfile, '.js')]: entry,
      // The server loads its HTTP worker thread from a file next to its bundle. Earlier releases
      // do not have this thread.
      ...(existsSync(join(from, HTTP_THREAD)) ? { 'http-thread': HTTP_THREAD } : {}),
    },
    outdir: dirname(outfile),
    ...serverBundleOptions,
  })
}

/**
 * Bundles the server and keeps one process ready, which loads its sources while the previous one is
 * tested.
 */
export async function prepareTargets(bundle: string): Promise<{ takeNext(): Target; close(): Promise<void> }> {
  await bundleTarget(bundle)
  let next = spawnTarget(bundle)
  return {
    takeNext() {
      const target = next
      next = spawnTarget(bundle)
      return target
    },
    async close() {
      await next.kill()
      await rm(bundle, { force: true })
    },
  }
}

/** @param maxFiles limit of open files of the process */
export function spawnTarget(bundle: string, maxFiles?: number): Target {
  const limit = maxFiles === undefined ? '' : `ulimit -n ${maxFiles}; `
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$0" "$1"`, process.execPath, bundle], { stdio: 'pipe' })
  const kill = killOnExit(child, 'SIGKILL')
  const output = collectOutput(child)
  const exitReason = once(child, 'exit').then(([code, signal]) => String(signal ?? code))
  /**
   * Resolves to true when the process is up, and to false if it ends before. The process can reach
   * its failpoint during the start.
   */
  const waitUntilUp = async (order: TargetSettings) => {
    const firstOutput = once(child.stdout, 'data').then(() => true)
    // Ignore the error of writing to a process that has already ended. Its exit code and output
    // give the reason.
    child.stdin.once('error', () => {})
    child.stdin.end(JSON.stringify(order))
    return Promise.race([firstOutput, exitReason.then(() => false)])
  }
  const createFailure = (what: string) => new Error(`${what}. It printed:\n${output()}`)

  return {
    async runUntilCrash(order, during) {
      try {
        if (await waitUntilUp(order)) await during()
        const endReason = await Promise.race([exitReason, delay(EXIT_TIMEOUT_MS, undefined, { ref: false })])
        if (endReason === undefined) throw createFailure(`The server was not killed at "${order.failpoint}"`)
        if (endReason !== 'SIGKILL') throw createFailure(`The server ended by itself (${endReason})`)
      } finally {
        await kill()
      }
    },
    async runServer(config, during, signal = 'SIGTERM', clockFile) {
      try {
        if (
          !(await waitUntilUp({
            config,
            failpoint: null,
            passesBeforeCrash: 0,
            ...(clockFile === undefined ? {} : { clockFile }),
          }))
        )
          throw createFailure('The server does not start')
        await during()
        child.kill(signal)
        await exitReason
      } finally {
        await kill()
      }
    },
    kill,
  }
}

function collectOutput(child: ChildProcessByStdio<Writable, Readable, Readable>): () => string {
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}
