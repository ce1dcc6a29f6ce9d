import type { Log } from 'viem'
import { expect, test } from 'vitest'
import { parseTransfers } from './transfer.ts'

test('parseTransfers: returns the log index within the transaction when the transaction has more than 200,000 logs', () => {
  const hash = `0x${'ab'.repeat(32)}` as const
  const address = `0x${'11'.repeat(20)}` as const
  const position = { blockNumber: 7n, blockHash: hash, transactionHash: hash, transactionIndex: 0, removed: false }
  const baseLog: Omit<Log<bigint, number, false>, 'logIndex'> = { ...position, address, topics: [], data: '0x' }
  const logs = Array.from({ length: 200_000 }, (_, index) => ({ ...baseLog, logIndex: 5 + index }))
  const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const addressTopic = `0x${'00'.repeat(12)}${'22'.repeat(20)}` as const
  const transfer: Log<bigint, number, false> = {
    ...{
      ...baseLog,
      logIndex: 200_005,
      topics: [transferTopic, addressTopic, addressTopic],
      data: `0x${'01'.padStart(64, '0')}`,
    },
  }
  const found = parseTransfers([...logs, transfer], { chainId: 1, number: 7n, hash, at: new Date(0) })
  expect(found).toMatchObject([{ logIndex: 200_000, amountWei: 1n }])
})
