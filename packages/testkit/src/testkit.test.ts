import { itoTokenAbi } from '@tocsin/contracts/abi'
import { testMnemonic } from '@tocsin/demo/local-chain.ts'
import { accounts } from '@tocsin/server/db/schema/accounts.ts'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { testAccount } from './accounts.ts'
import { fakeClock } from './clock.ts'
import { testConfig } from './config.ts'
import { createTestContext } from './context.ts'
import { eventually } from './eventually.ts'
import { useTestChain, useTestDatabase } from './hooks.ts'

const database = useTestDatabase()
const chain = useTestChain()

test('createDatabase: returns a migrated, empty database each time', async () => {
  for (let round = 0; round < 2; round++) {
    const { ctx, close } = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
    expect(await ctx.db.select().from(accounts)).toEqual([])
    await ctx.db.execute(`insert into accounts (name, created_at) values ('someone', now())`)
    expect(await ctx.db.select().from(accounts)).toHaveLength(1)
    await close()
  }
})

test('testAccount: returns the accounts of the mnemonic', () => {
  for (const addressIndex of [0, 1_000]) {
    expect(testAccount(addressIndex).address).toBe(mnemonicToAccount(testMnemonic, { addressIndex }).address)
  }
})

test('startTestChain: deploys the contracts, funds accounts and reverts to snapshots', async () => {
  const readBalance = () =>
    chain.client.readContract({
      address: chain.token,
      abi: itoTokenAbi,
      functionName: 'balanceOf',
      args: [chain.treasury],
    })
  expect(await chain.client.getCode({ address: chain.anchorContract })).toMatch(/^0x[0-9a-f]{100,}/)
  const snapshotBefore = await chain.snapshot()
  const receipt = await chain.pay({ from: 3, amountWei: 5n })
  expect(receipt.status).toBe('success')
  expect(await readBalance()).toBe(5n)
  await chain.revert(snapshotBefore)
  expect(await readBalance()).toBe(0n)
  expect((await chain.pay({ from: 3, amountWei: 10n ** 30n })).status).toBe('reverted')
})

test('fakeClock: changes the time only when `advance` or `set` is called', () => {
  const clock = fakeClock(new Date(1000))
  clock.advance(500)
  expect(clock.now()).toEqual(new Date(1500))
})

test('eventually: retries less often during a long wait, so that requests stay below a rate limit', async () => {
  const attempts: number[] = []
  await eventually(() => {
    attempts.push(performance.now())
    if (attempts.length < 53) throw new Error('not yet')
  })
  expect((attempts[52] ?? 0) - (attempts[50] ?? 0)).toBeGreaterThan(300)
})
