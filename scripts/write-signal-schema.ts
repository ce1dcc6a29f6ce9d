import { writeFileSync } from 'node:fs'
import { outcomeJsonSchema, signalJsonSchema, statusJsonSchema, tickJsonSchema } from '@tocsin/protocol'

const schemas = {
  signal: signalJsonSchema(),
  outcome: outcomeJsonSchema(),
  status: statusJsonSchema(),
  tick: tickJsonSchema(),
}
for (const [name, schema] of Object.entries(schemas)) {
  writeFileSync(`docs/${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`)
}
