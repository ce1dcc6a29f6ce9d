import { z } from 'zod'

export const randomStateSchema = z.strictObject({
  words: z.tuple([z.int(), z.int(), z.int(), z.int()]),
  spare: z.number().nullable(),
})
type RandomState = z.infer<typeof randomStateSchema>

export interface Random {
  /** Uniform distribution above 0 and below 1. */
  uniform(): number
  /** Normal distribution with mean 0 and standard deviation 1. */
  normal(): number
  /** Exponential distribution with mean 1. */
  exponential(): number
  state(): RandomState
  restore(state: RandomState): void
}

const ROUNDS_BEFORE_USE = 15

/** Pseudo-random numbers by sfc32 (PractRand): the same seed gives the same numbers everywhere. */
export function createRandom(seed: number): Random {
  let a = seed >>> 0
  let b = Math.floor(seed / 2 ** 32) >>> 0
  let c = 0x9e3779b9
  let counter = 1
  let spare: number | null = null

  const next = (): number => {
    const result = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + result
    return result >>> 0
  }
  for (let round = 0; round < ROUNDS_BEFORE_USE; round++) next()
  const uniform = () => (next() + 0.5) / 2 ** 32
  return {
    uniform,
    /** Uses Marsaglia's polar method, which gives two numbers at a time. */
    normal() {
      if (spare !== null) {
        const result = spare
        spare = null
        return result
      }
      for (;;) {
        const x = 2 * uniform() - 1
        const y = 2 * uniform() - 1
        const square = x * x + y * y
        if (square >= 1 || square === 0) continue
        const factor = Math.sqrt((-2 * Math.log(square)) / square)
        spare = y * factor
        return x * factor
      }
    },
    exponential: () => -Math.log(uniform()),
    state: () => ({ words: [a, b, c, counter], spare }),
    restore(state) {
      ;[a, b, c, counter] = state.words
      spare = state.spare
    },
  }
}
