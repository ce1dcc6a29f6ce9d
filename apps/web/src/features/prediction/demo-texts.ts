import type { PublicConfig } from '@tocsin/protocol'

type DemoConfig = Pick<PublicConfig, 'demo' | 'demoMarket'>

/** Text after a figure of a demo's track record. It names the market that the figure is about. */
export function formatDemoScope(market: 'simulated' | 'live'): string {
  return market === 'live' ? 'of the live market, demo log' : 'of the simulated market'
}

/** Names the market that the figures of a demo are about. Null outside a demo. */
export function formatDemoMarket(config: DemoConfig | undefined): 'Simulated market' | 'Live market, demo log' | null {
  if (!config?.demo) return null
  return config.demoMarket === 'live' ? 'Live market, demo log' : 'Simulated market'
}
