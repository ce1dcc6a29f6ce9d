import { readFileSync, writeFileSync } from 'node:fs'
import { formatEnvExample, replaceSettingTables } from './settings-guide.ts'

writeFileSync('.env.example', formatEnvExample())
writeFileSync('docs/operating.md', replaceSettingTables(readFileSync('docs/operating.md', 'utf8')))
