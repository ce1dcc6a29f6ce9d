import { writeFileSync } from 'node:fs'
import { signalJsonSchema } from '@tocsin/protocol'

writeFileSync('docs/signal.schema.json', `${JSON.stringify(signalJsonSchema(), null, 2)}\n`)
