import { TransactionReceiptNotFoundError } from 'viem'
import { expect, test } from 'vitest'
import { waitUntilMined } from './wait-until-mined.ts'

const hash = `0x${'ab'.repeat(32)}` as const

test('waitUntilMined: retries until the receipt exists, without waiting for another block', async () => {
  let attempts = 0
  const getTransactionReceipt = async () => {
    attempts += 1
    if (attempts < 4) throw new TransactionReceiptNotFoundError({ hash })
    return {}
  }
  await waitUntilMined({ getTransactionReceipt }, hash)
  expect(attempts).toBe(4)
})

test('waitUntilMined: fails when the chain does not respond', async () => {
  const getTransactionReceipt = () => Promise.reject(new Error('connection refused'))
  await expect(waitUntilMined({ getTransactionReceipt }, hash)).rejects.toThrow('connection refused')
})
