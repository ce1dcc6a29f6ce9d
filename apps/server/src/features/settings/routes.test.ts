import { addressOfKey, hexToBytes } from '@tocsin/proof'
import { publicConfig as publicConfigShape } from '@tocsin/protocol'
import { testConfig, testSignerKey } from '@tocsin/testkit'
import { expect, test } from 'vitest'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { chainConfig, publicConfig } from './routes.ts'

const secretUrl = 'https://node.example.com/v1/secret-key'

function ask(config: Config) {
  const signer = { address: addressOfKey(hexToBytes(config.signerKey)), signDigest: () => '0x' as const }
  const ctx = { config, signer } as unknown as Context
  const input = {} as never
  return Promise.all([publicConfig(ctx, input), chainConfig(ctx, input)])
}

test('an operator’s configuration shows no node, no key and no secret', async () => {
  const config = testConfig({
    payment: { chainId: 1, rpcUrls: [secretUrl] },
    anchor: { chainId: 43114, rpcUrl: secretUrl },
  })
  const [answer, chain] = await ask(config)
  const text = JSON.stringify(answer)
  for (const secret of ['secret-key', config.anchor.key, testSignerKey, config.appSecret]) {
    expect(text).not.toContain(secret)
  }
  expect(publicConfigShape.parse(answer)).toEqual(answer)
  expect(answer.chain).toMatchObject({ id: 1, name: 'Ethereum Mainnet', rpcUrl: null })
  expect(answer.anchor).toMatchObject({ chainName: 'Avalanche C-Chain', rpcUrl: null })
  expect(chain).toEqual({ chainId: '1', chainName: 'Ethereum Mainnet' })
})

test('the demo publishes the same-origin way to its local chain', async () => {
  const [answer] = await ask(testConfig({ demo: true }))
  expect(answer.chain.rpcUrl).toBe('http://localhost:3000/dev/chain')
  expect(answer.plans.map(({ id, price, priceWei }) => [id, price, priceWei])).toEqual([
    ['6h', 10, '10000000000000000000'],
    ['24h', 30, '30000000000000000000'],
    ['3d', 75, '75000000000000000000'],
  ])
})
