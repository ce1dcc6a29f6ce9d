import { buildMissingContracts } from './build-missing-contracts.ts'

// Runs the operator commands from the sources, without a build or a running server. The commands
// also work on the demo.

await buildMissingContracts()

const { main } = await import('../apps/server/src/cli/main.ts')
const { borrowDemo } = await import('../apps/demo/src/demo-backends.ts')
const { prepareNextSignerKey } = await import('../apps/demo/src/demo-secrets.ts')
const { verifyAlert } = await import('../apps/verify/src/verify-alert.ts')

await main({ verifyAlert, demo: { borrowDemo, prepareNextSignerKey } })
