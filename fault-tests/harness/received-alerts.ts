/** An alert as a subscriber received it. Times are Unix milliseconds. */
export interface ReceivedAlert {
  logIndex: number
  canary: string
  atMs: number
}

/**
 * The canaries that were found, by number. Only one copy of each is kept: a match of a regular
 * expression keeps the whole text in memory.
 */
const knownCanaries: string[] = []
const numbers = new Map<string, number>()

function getCanaryNumber(canary: string): number {
  const knownNumber = numbers.get(canary)
  if (knownNumber !== undefined) return knownNumber
  const copy = Buffer.from(canary).toString()
  numbers.set(copy, knownCanaries.length)
  return knownCanaries.push(copy) - 1
}

/** Returns the part of a summary that identifies an alert of the harness; '' for other alerts. */
export function findCanary(text: string): string {
  return knownCanaries[getCanaryNumber(/canary-(?:admin|feed)-\d+-/.exec(text)?.[0] ?? '')] ?? ''
}

const INITIAL_CAPACITY = 1_024

/**
 * List of the alerts that one subscriber received, in typed arrays. An hour has millions of them.
 * As objects they need gigabytes, and long garbage collections delay the clients and proxies of
 * this process.
 */
export class ReceivedAlerts {
  length = 0
  #logIndexes = new Int32Array(INITIAL_CAPACITY)
  #canaries = new Int32Array(INITIAL_CAPACITY)
  #timesMs = new Float64Array(INITIAL_CAPACITY)

  push({ logIndex, canary, atMs }: ReceivedAlert): void {
    if (this.length === this.#timesMs.length) this.#grow()
    this.#logIndexes[this.length] = logIndex
    this.#canaries[this.length] = getCanaryNumber(canary)
    this.#timesMs[this.length] = atMs
    this.length += 1
  }

  /** As `Array.prototype.at`. */
  at(position: number): ReceivedAlert | undefined {
    const index = position < 0 ? this.length + position : position
    const [logIndex, atMs] = [this.#logIndexes[index], this.#timesMs[index]]
    if (index >= this.length || logIndex === undefined || atMs === undefined) return undefined
    return { logIndex, canary: knownCanaries[this.#canaries[index] ?? 0] ?? '', atMs }
  }

  *[Symbol.iterator](): Generator<ReceivedAlert, undefined> {
    for (let index = 0; index < this.length; index += 1) {
      const alert = this.at(index)
      if (alert) yield alert
    }
  }

  toJSON(): ReceivedAlert[] {
    return [...this]
  }

  #grow(): void {
    const [logIndexes, canaryNumbers, timesMs] = [this.#logIndexes, this.#canaries, this.#timesMs]
    this.#logIndexes = new Int32Array(2 * this.length)
    this.#canaries = new Int32Array(2 * this.length)
    this.#timesMs = new Float64Array(2 * this.length)
    this.#logIndexes.set(logIndexes)
    this.#canaries.set(canaryNumbers)
    this.#timesMs.set(timesMs)
  }
}
