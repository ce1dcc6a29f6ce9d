/** Query key of the recomputation, also for the button that starts it. */
export const recomputeKey = ['recompute']
