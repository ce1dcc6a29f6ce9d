import { publicConfig as publicConfigShape } from '@tocsin/protocol'
import { createTestContext, testConfig, testSignerKey } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { beforeAll, expect, test } from 'vitest'
import type { Config } from '../../config.ts'
import { chainConfig } from '../settings/routes.ts'
import { publicConfig } from './public-config.ts'

const secretUrl = 'https://node.example.com/v1/secret-key'

const database = useTestDatabase()
let databaseUrl: string
beforeAll(async () => {
  databaseUrl = await database.createDatabase()
})

async function readConfigs(config: Config, { collects } = { collects: false }) {
  const { ctx, close } = await createTestContext({ ...config, databaseUrl })
  const answers = await Promise.all([
    publicConfig(ctx, {
      publishedKeys: async () => [{ address: '0xFirst' }, { address: '0xCurrent' }],
      isCollector: () => collects,
      findPushKey: async () => 'push-key',
    }),
    chainConfig(ctx),
  ])
  await close()
  return answers
}

test('publicConfig: contains no node URL, key or secret', async () => {
  const config = testConfig({
    payment: { chainId: 1, rpcUrls: [secretUrl] },
    anchor: { chainId: 43114, rpcUrl: secretUrl },
  })
  const [publicAnswer, chain] = await readConfigs(config)
  const text = JSON.stringify(publicAnswer)
  for (const secret of ['secret-key', config.anchor.key, testSignerKey, config.appSecret]) {
    expect(text).not.toContain(secret)
  }
  expect(publicConfigShape.parse(publicAnswer)).toEqual(publicAnswer)
  expect(publicAnswer).toMatchObject({ signer: '0xCurrent', firstSigner: '0xFirst', log: { origin: config.logOrigin } })
  expect(publicAnswer.chain).toMatchObject({ id: 1, name: 'Ethereum Mainnet', rpcUrl: null })
  expect(publicAnswer.anchor).toMatchObject({ chainName: 'Avalanche C-Chain', rpcUrl: null })
  expect(chain).toEqual({ chainId: '1', chainName: 'Ethereum Mainnet' })
})

test.each([
  [false, 'transfer'],
  [true, 'approve'],
])('publicConfig: when isCollector is %s, returns the payment path %s', async (collects, path) => {
  const [answer] = await readConfigs(testConfig(), { collects })
  expect(answer.paymentPath).toBe(path)
})

test('publicConfig: returns the same-origin URL of the local chain in the demo', async () => {
  const [answer] = await readConfigs(testConfig({ demo: true }))
  expect(answer.chain.rpcUrl).toBe('http://localhost:3000/dev/chain')
  expect(answer.plans.map(({ id, price, priceWei }) => [id, price, priceWei])).toEqual([
    ['6h', 10, '10000000000000000000'],
    ['24h', 30, '30000000000000000000'],
    ['3d', 75, '75000000000000000000'],
  ])
})
