import { coreEndpoints, endpoints } from '@tocsin/protocol'
import { createCalls } from './create-calls.ts'

const isLazy = ([name]: [string, unknown]) => !(name in coreEndpoints)

/**
 * The calls that are not in `eagerCalls`: those of the admin area, and those that only a few pages
 * need. The build evaluates this module (vite.config.ts).
 */
export const lazyCalls = createCalls(Object.fromEntries(Object.entries(endpoints).filter(isLazy)))
