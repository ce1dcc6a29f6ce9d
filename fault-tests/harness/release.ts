import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../../scripts/build-stamp.mjs'
import { bundleTarget } from '../failpoints/target-process.ts'

/** A version of the product that instances can run. */
export interface Release {
  /** Folder of the release, with its dependencies and its build. */
  root: string
  /** Path of the bundled server, which includes the clock of `instance.ts`. */
  bundle: string
}

/** Bundles the server of a source tree that has been built. */
export async function bundleRelease(from = root): Promise<Release> {
  const bundle = join(from, 'apps/server/.cache', `fault-test-${process.pid}.js`)
  await bundleTarget(bundle, 'fault-tests/harness/instance.ts', from)
  return { root: from, bundle }
}

/**
 * Installs and builds an earlier release in a new folder.
 * @param ref a tag or a commit of this repository
 */
export function buildRelease(ref: string, dir: string): void {
  const runInDir = (command: string, args: string[], cwd = dir) => execFileSync(command, args, { cwd, stdio: 'pipe' })
  runInDir('git', ['clone', '--quiet', root, dir], root)
  runInDir('git', ['checkout', '--quiet', ref])
  runInDir('npm', ['ci', '--no-audit', '--no-fund'])
  runInDir('npm', ['run', 'build'])
}
