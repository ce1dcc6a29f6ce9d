/** An alert that could not be checked is checked again after this time while it is shown. */
export const retryMs = 30_000
