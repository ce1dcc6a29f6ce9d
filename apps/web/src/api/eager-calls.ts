import { coreEndpoints } from '@tocsin/protocol'
import { createCalls } from './create-calls.ts'

/**
 * Calls for accounts and for anonymous callers, which are all that most pages need. The build
 * evaluates this module (vite.config.ts).
 */
export const eagerCalls = createCalls(coreEndpoints)
