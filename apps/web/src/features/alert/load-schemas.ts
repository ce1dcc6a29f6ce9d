import { yieldToBrowser } from '../../browser/yield-to-browser.ts'

let schemaLoading: Promise<void> | undefined

/**
 * Evaluates the schemas of feed messages in several short tasks. Call it before importing a module
 * that reads these messages, because that import would evaluate all schemas in one long task.
 */
export function loadSchemas(): Promise<void> {
  schemaLoading ??= loadInSteps()
  return schemaLoading
}

async function loadInSteps(): Promise<void> {
  for (const load of schemaImports) {
    await load()
    await yieldToBrowser()
  }
}

/** Imports of the modules with schemas, in dependency order. */
const schemaImports = [
  () => import('@tocsin/protocol/primitives'),
  () => import('@tocsin/protocol/prediction'),
  () => import('@tocsin/protocol/alerts'),
  () => import('@tocsin/protocol/feed'),
]
