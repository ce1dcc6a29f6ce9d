#!/usr/bin/env node
import { main } from '../apps/server/src/cli/main.ts'
import { verifyAlert } from '../apps/verify/src/verify-alert.ts'

// Entry point of the operator commands in an installation without the sources and the demo. The
// build bundles it into one file.

await main({ verifyAlert, demo: null })
