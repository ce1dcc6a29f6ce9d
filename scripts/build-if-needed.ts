import { isBuilt } from './build-stamp.mjs'
import { type RunOptions, type RunResult, run } from './run.ts'

/** Builds the product, unless the last build is of the current sources. */
export async function buildIfNeeded(options?: RunOptions): Promise<RunResult> {
  if (isBuilt()) return { code: 0, output: '' }
  return run(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], options)
}
