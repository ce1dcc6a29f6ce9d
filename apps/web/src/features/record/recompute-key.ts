/** Query key of the recomputation. Also used by the button that starts it. */
export const recomputeKey = ['recompute']
