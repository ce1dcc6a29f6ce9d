import { existsSync } from 'node:fs'
import { createParts } from './parts.ts'
import { runMain } from './run-main.ts'

if (existsSync('.env')) process.loadEnvFile('.env')
runMain(({ shortHorizonSeconds }) => createParts(shortHorizonSeconds))
