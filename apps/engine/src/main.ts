import { existsSync } from 'node:fs'
import { parts } from './parts.ts'
import { runMain } from './run-main.ts'

if (existsSync('.env')) process.loadEnvFile('.env')
runMain(parts)
