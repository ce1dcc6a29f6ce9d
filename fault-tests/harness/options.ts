import { parseArgs } from 'node:util'

export interface Options {
  /** How long faults are injected. Set-up and the checks at the end take longer. */
  minutes: number
  seed: number
  instances: number
  /** Subscribers with an open stream. */
  clients: number
  /** Signals of the feed per second on average. They come in bursts, see `burstRate`. */
  signalsPerSecond: number
  /** Only kinds of faults whose name contains this. */
  only: string
  /** A tag or a commit whose release the instances run at first; empty: they run this one. */
  from: string
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
  const read = (name: keyof typeof defaults, least: number, most: number) => {
    const value = Number(values[name] ?? defaults[name])
    if (!(value >= least && value <= most)) throw new Error(`--${name} is a number from ${least} to ${most}`)
    return value
  }
  return {
    minutes: read('minutes', 0.5, 24 * 60),
    seed: Math.floor(read('seed', 0, 2 ** 31)),
    instances: Math.floor(read('instances', 2, 9)),
    clients: Math.floor(read('clients', 8, 2_000)),
    only: values.only ?? '',
    from: values.from ?? '',
    signalsPerSecond: read('signals', 0.2, 20),
  }
}
