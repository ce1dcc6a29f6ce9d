import type { endpoints } from '@tocsin/protocol'
import { createTestContext, fakeClock, type TestContext, type TestDatabase, testConfig } from '@tocsin/testkit'
import type { Input } from '../src/http/route.ts'

/** The current time of the tests. A Wednesday, so the week began two days before. */
export const NOW = new Date('2026-11-18T15:30:00.000Z')
export const ITO = 10n ** 18n

export const ago = (ms: number) => new Date(NOW.getTime() - ms)

/** Creates a context with a new database and the time `NOW`. */
export async function createBusiness(database: TestDatabase): Promise<TestContext> {
  return createTestContext(testConfig({ databaseUrl: await database.createDatabase() }), fakeClock(NOW))
}

/** Creates the input of a handler. */
export const createInput = <K extends keyof typeof endpoints>(more: object = {}) =>
  ({ query: {}, params: {}, ...more }) as unknown as Input<(typeof endpoints)[K]>

const { token } = testConfig().payment
let transferCount = 0

/** Returns the columns of a transfer to the treasury. Each transfer is in its own block. */
export const createTransfer = ({ blockAt, chainId = 31337, amountWei = 10n * ITO }: Transfer) => ({
  chainId,
  txHash: `0x${(++transferCount).toString(16).padStart(64, '0')}` as const,
  logIndex: 0,
  blockNumber: transferCount,
  blockHash: `0x${transferCount.toString(16).padStart(64, '0')}` as const,
  blockAt,
  token,
  payer: `0x${'3'.repeat(40)}` as const,
  amountWei,
})

interface Transfer {
  blockAt: Date
  chainId?: number
  amountWei?: bigint
}
