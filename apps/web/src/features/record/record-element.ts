/**
 * Name of the element around the content of the track record page. It must occur once, because the
 * server inserts the figures there (apps/server/src/features/system/record-page.ts).
 */
export const recordElement = 'record-content'
