import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildContracts } from '../contracts/build.ts'
import { root } from './build-stamp.mjs'

/**
 * Creates `contracts/abi.ts` if it does not exist. Sources and tests import this file, which is not
 * in the repository because it is compiled.
 */
export async function buildMissingContracts(): Promise<void> {
  if (!existsSync(join(root, 'contracts/abi.ts'))) await buildContracts()
}
