import { type PublicConfig, supportedChainIds } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import { describeNetwork } from './network.ts'

const chain = { id: 31337, name: 'Local Chain', rpcUrl: 'http://127.0.0.1:8545', confirmations: 1, isReadable: true }
// Cast: describeNetwork reads only this field of the configuration.
const config = { chain } as PublicConfig

it.each([
  [1, 'Ethereum Mainnet', 'ETH'],
  [137, 'Polygon (MATIC)', 'MATIC'],
  [56, 'BNB Smart Chain (BSC)', 'BNB'],
  [10, 'Optimism', 'ETH'],
  [42161, 'Arbitrum One', 'ETH'],
  [5, 'Goerli Testnet', 'ETH'],
  [11155111, 'Sepolia Testnet', 'ETH'],
])('describeNetwork: describes chain %i as %s with the currency %s and a public RPC URL', (id, name, symbol) => {
  expect(supportedChainIds).toContain(id)
  expect(describeNetwork(id, config)).toMatchObject({ id, name, nativeCurrency: { symbol, decimals: 18 } })
  expect(describeNetwork(id, config).rpcUrls.default.http).toEqual([expect.stringMatching(/^https:/)])
})

it('describeNetwork: uses a generic name, ETH and no RPC URLs when the chain is not supported', () => {
  expect(describeNetwork(7, config)).toMatchObject({ id: 7, name: 'Chain 7', nativeCurrency: { symbol: 'ETH' } })
  expect(describeNetwork(7, config).rpcUrls.default.http).toEqual([])
})
