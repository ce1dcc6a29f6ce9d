import { readFileSync, writeFileSync } from 'node:fs'
import { envExample } from '../apps/server/src/settings-table.ts'
import { withSettings } from './settings-guide.ts'

writeFileSync('.env.example', envExample())
writeFileSync('docs/operating.md', withSettings(readFileSync('docs/operating.md', 'utf8')))
