import { coreEndpoints, endpoints } from '@tocsin/protocol'
import { callsOf } from './calls-of.ts'

const isLazy = ([name]: [string, unknown]) => !(name in coreEndpoints)

/**
 * The calls that are not in `eagerCalls`: those of the admin area, and those that only a few pages
 * need. The build evaluates this module (vite.config.ts).
 */
export const lazyCalls = callsOf(Object.fromEntries(Object.entries(endpoints).filter(isLazy)))
