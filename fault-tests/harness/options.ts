import { parseArgs } from 'node:util'

export interface Options {
  /** Minutes in which faults are injected. The set-up and the checks at the end take extra time. */
  minutes: number
  seed: number
  instances: number
  /** Number of subscribers with an open stream. */
  clients: number
  /**
   * Average number of signals of the feed per second. They come in bursts, see `computeBurstRate`.
   */
  signalsPerSecond: number
  /** Part of a name: only kinds of faults whose name contains it are injected. */
  faultFilter: string
  /** Tag or commit of the release that the instances run at first. If empty, they run this one. */
  fromRelease: string
}

const defaults = { minutes: '20', seed: '7', instances: '3', clients: '60', signals: '4' }

/** @throws Error that names the invalid option */
export function readOptions(args: readonly string[]): Options {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: string,
      seed: string,
      instances: string,
      clients: string,
      signals: string,
      only: string,
      from: string,
    },
  })
  const readNumber = (name: keyof typeof defaults, min: number, max: number) => {
    const value = Number(values[name] ?? defaults[name])
    if (!(value >= min && value <= max)) throw new Error(`--${name} is a number from ${min} to ${max}`)
    return value
  }
  return {
    minutes: readNumber('minutes', 0.5, 24 * 60),
    seed: Math.floor(readNumber('seed', 0, 2 ** 31)),
    instances: Math.floor(readNumber('instances', 2, 9)),
    clients: Math.floor(readNumber('clients', 8, 2_000)),
    faultFilter: values.only ?? '',
    fromRelease: values.from ?? '',
    signalsPerSecond: readNumber('signals', 0.2, 20),
  }
}
