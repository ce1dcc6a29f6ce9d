import type { PublicConfig } from '@tocsin/protocol'

type Demo = Pick<PublicConfig, 'demo' | 'demoMarket'>

/** After a figure of a demo's record. */
export function demoScope(market: 'simulated' | 'live'): string {
  return market === 'live' ? 'of the live market, demo log' : 'of the simulated market'
}

/** What the figures of a demo are about. Null outside a demo. */
export function demoWords(config: Demo | undefined): 'Simulated market' | 'Live market, demo log' | null {
  if (!config?.demo) return null
  return config.demoMarket === 'live' ? 'Live market, demo log' : 'Simulated market'
}
