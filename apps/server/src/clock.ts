/** The one source of the present. Rules take `now` as an argument; only edges and workers ask this. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
