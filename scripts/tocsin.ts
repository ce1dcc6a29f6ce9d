import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildContracts } from '../contracts/build.ts'
import { root } from './build-stamp.mjs'

// Runs the operator commands from the sources, without a build or a running server. The commands
// also work on the demo.

if (!existsSync(join(root, 'contracts/abi.ts'))) await buildContracts()

const { main } = await import('../apps/server/src/cli/main.ts')
const { borrowDemo } = await import('../apps/demo/src/demo-backends.ts')
const { prepareNextSignerKey } = await import('../apps/demo/src/demo-secrets.ts')
const { verifyAlert } = await import('./verify-alert.ts')

await main({ verifyAlert, demo: { borrowDemo, prepareNextSignerKey } })
