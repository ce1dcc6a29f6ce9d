import { type Hex, TransactionReceiptNotFoundError } from 'viem'

interface ReceiptClient {
  getTransactionReceipt(query: { hash: Hex }): Promise<unknown>
}

const POLL_MS = 5
const TIMEOUT_MS = 30_000

/**
 * Waits for the receipt of a transaction on the local chain. viem's own wait retries only when a
 * new block arrives: if it checks just before the receipt exists, it waits forever, because no
 * other block follows on this chain.
 * @throws Error if it is not mined within 30 s
 */
export async function waitUntilMined(client: ReceiptClient, hash: Hex): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  while (!(await hasReceipt(client, hash))) {
    if (performance.now() > deadline) throw new Error(`The local chain has not mined ${hash} within 30 s`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

async function hasReceipt(client: ReceiptClient, hash: Hex): Promise<boolean> {
  try {
    await client.getTransactionReceipt({ hash })
    return true
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return false
    throw error
  }
}
