import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildContracts } from '../contracts/build.ts'
import { root } from './build-stamp.mjs'

// Runs the operator commands from the sources, without a build or a running server.

if (!existsSync(join(root, 'contracts/abi.ts'))) await buildContracts()

await import('./operator-commands.ts')
