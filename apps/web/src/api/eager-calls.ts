import { coreEndpoints } from '@tocsin/protocol'
import { createCalls } from './create-calls.ts'

/**
 * Calls for accounts and for anonymous callers. Most pages need no other calls. The build evaluates
 * this module (vite.config.ts), so that the schemas of the endpoints are not part of the scripts.
 */
export const eagerCalls = createCalls(coreEndpoints)
