/**
 * Encloses the content of the track record page. The server puts the figures in its place
 * (apps/server/src/features/system/record-page.ts), so it must occur once.
 */
export const recordElement = 'record-content'
