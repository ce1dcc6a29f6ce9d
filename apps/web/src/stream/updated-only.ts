/**
 * Ids of alerts that were in no list when the stream delivered an update of them, such as a
 * verdict. They must not be treated as new alerts.
 */
export const unlistedUpdateIds = new Set<string>()
