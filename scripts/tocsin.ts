import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildContracts } from '../contracts/build.ts'
import { root } from './build-stamp.mjs'

// The operator's commands, from the sources: nothing has to be built, and no server has to run.

if (!existsSync(join(root, 'contracts/abi.ts'))) await buildContracts()

await import('./operator-commands.ts')
