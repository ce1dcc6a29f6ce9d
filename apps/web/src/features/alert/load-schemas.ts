import { yieldToBrowser } from '../../browser/yield-to-browser.ts'

let loaded: Promise<void> | undefined

/**
 * Evaluates the schemas of feed messages in several tasks. Call it before the import of a module
 * that reads these messages: it would evaluate all of them in one long task.
 */
export function loadSchemas(): Promise<void> {
  loaded ??= loadInSteps()
  return loaded
}

async function loadInSteps(): Promise<void> {
  for (const load of steps) {
    await load()
    await yieldToBrowser()
  }
}

/** In dependency order. */
const steps = [
  () => import('@tocsin/protocol/primitives'),
  () => import('@tocsin/protocol/prediction'),
  () => import('@tocsin/protocol/alerts'),
  () => import('@tocsin/protocol/feed'),
]
