import { endpoints, openEndpoints } from '@tocsin/protocol'
import { callsOf } from './calls-of.ts'

const isLater = ([name]: [string, unknown]) => !(name in openEndpoints)

/**
 * The calls that are not in `openCalls`: those of the admin area, and those that only a few pages
 * need. The build evaluates this module (vite.config.ts).
 */
export const laterCalls = callsOf(Object.fromEntries(Object.entries(endpoints).filter(isLater)))
