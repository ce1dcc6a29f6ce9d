import { readFileSync, writeFileSync } from 'node:fs'
import { wholeEnvExample, withSettings } from './settings-guide.ts'

writeFileSync('.env.example', wholeEnvExample())
writeFileSync('docs/operating.md', withSettings(readFileSync('docs/operating.md', 'utf8')))
