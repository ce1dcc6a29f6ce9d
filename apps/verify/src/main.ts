#!/usr/bin/env node
import { isPoolThread } from './check-pool.ts'
import { verifyAlert } from './verify-alert.ts'

if (!isPoolThread) process.exitCode = await verifyAlert(process.argv.slice(2))
