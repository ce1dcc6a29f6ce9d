/**
 * Ids of alerts of which the stream has delivered only an update, such as a verdict. They are not
 * new, although no list contains them.
 */
export const updatedOnly = new Set<string>()
