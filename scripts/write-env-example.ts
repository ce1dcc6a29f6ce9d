import { writeFileSync } from 'node:fs'
import { envExample } from '../apps/server/src/settings-table.ts'

writeFileSync('.env.example', envExample())
