// Names and limits without schemas, for the pages that need no schema.

export const priorities = ['low', 'medium', 'high', 'critical'] as const
export type Priority = (typeof priorities)[number]

export const planIds = ['6h', '24h', '3d'] as const
export type PlanId = (typeof planIds)[number]

export const verdicts = ['came-true', 'did-not', 'void'] as const
/** Verdicts on an alert's prediction, with `open` for predictions that are not decided. */
export const listedVerdicts = ['open', ...verdicts] as const
export type ListedVerdict = (typeof listedVerdicts)[number]

/**
 * Request header of calls that a page makes by itself, without recent input of the user. Such calls
 * do not count as use of a staff session.
 */
export const pollHeader = 'tocsin-poll'

/** Maximum number of ids per call of `alertSignals`. */
export const maxSignals = 100

/** Maximum number of assets on a watchlist. */
export const maxWatched = 50

/** Maximum number of assets or types of a filter. */
export const maxFilterNames = 50

/** The number up to which the server counts. Pages show more as "1,000+". */
export const maxCounted = 1_000
