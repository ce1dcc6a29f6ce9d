import {
  type Address,
  type AnchoredEvent,
  anchoredTopic,
  formatQuantity,
  type ProofDomain,
  type Rpc,
  readAnchoredEvent,
} from '@tocsin/proof'
import { ResponseTooLarge } from './http.ts'
import { CannotCheck } from './outcome.ts'
import { RpcRefusal } from './rpc.ts'

/** Function selector of `latestSize()`. */
const LATEST_SIZE_SELECTOR = '0x1293ed37'
const FIRST_RANGE = 10_000
const MAX_QUERIES = 200_000

/** State of the contract at a block. */
export interface AnchorState {
  /** Number of entries covered by the newest anchor, 0 before the first. */
  latestSize: number
  block: number
}

/**
 * Reads the newest anchored size from the contract. Callers use it to detect that a node's list of
 * events lacks the newest anchors.
 * @throws CannotCheck
 */
export async function readAnchorState(rpc: Rpc, { chainId, verifyingContract }: ProofDomain): Promise<AnchorState> {
  const nodeChainId = parseQuantity(await rpc('eth_chainId', []))
  if (nodeChainId !== chainId) throw new CannotCheck(`The node is on chain ${nodeChainId}, not on chain ${chainId}`)
  const block = parseQuantity(await rpc('eth_blockNumber', []))
  const result = await rpc('eth_call', [{ to: verifyingContract, data: LATEST_SIZE_SELECTOR }, formatQuantity(block)])
  if (result === '0x')
    throw new CannotCheck(`There is no AlertAnchor contract ${verifyingContract} on chain ${chainId}`)
  return { latestSize: parseQuantity(result), block }
}

/**
 * Finds the block in which the contract was deployed, by binary search. Returns 0 if the node does
 * not store historical state, which is common.
 */
export async function findFirstBlock(rpc: Rpc, contract: string, lastBlock: number): Promise<number> {
  let low = 0
  let high = lastBlock
  try {
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const code = await rpc('eth_getCode', [contract, formatQuantity(middle)])
      if (typeof code !== 'string') return 0
      if (code === '0x') low = middle + 1
      else high = middle
    }
    return low
  } catch (error) {
    if (error instanceof RpcRefusal) return 0
    throw error
  }
}

/**
 * Yields the contract's anchors in a range of blocks, oldest first, and reads them as they are
 * needed. Nodes limit the range of a query differently, so the range is halved whenever a node
 * rejects it.
 * @throws CannotCheck
 */
export async function* readAnchors(
  rpc: Rpc,
  { verifyingContract }: ProofDomain,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
  onProgress: (done: number, total: number) => void,
): AsyncGenerator<AnchoredEvent> {
  let range = FIRST_RANGE
  let wasRefused = false
  let size = 0
  for (let from = fromBlock; from <= toBlock; ) {
    const to = Math.min(from + range - 1, toBlock)
    const events = await listEvents(rpc, verifyingContract, from, to)
    if (events === 'refused') {
      wasRefused = true
      range = Math.floor(range / 2)
      assertFeasible(range, toBlock - from)
      continue
    }
    for (const event of events) {
      if (event.size <= size)
        throw new CannotCheck(`The node shows an anchor of size ${event.size} after one of size ${size}`)
      size = event.size
      yield event
    }
    from = to + 1
    onProgress(from - fromBlock, toBlock - fromBlock + 1)
    if (!wasRefused) range *= 2
  }
}

async function listEvents(
  rpc: Rpc,
  contract: Address,
  fromBlock: number,
  toBlock: number,
): Promise<AnchoredEvent[] | 'refused'> {
  const filter = {
    address: contract,
    topics: [anchoredTopic],
    fromBlock: formatQuantity(fromBlock),
    toBlock: formatQuantity(toBlock),
  }
  try {
    return readEvents(await rpc('eth_getLogs', [filter]), contract)
  } catch (error) {
    const isRangeTooLarge = error instanceof RpcRefusal || error instanceof ResponseTooLarge
    if (isRangeTooLarge && fromBlock < toBlock) return 'refused'
    throw error
  }
}

function readEvents(logs: unknown, contract: Address): AnchoredEvent[] {
  if (!Array.isArray(logs)) throw new CannotCheck('The node did not return a list of events')
  try {
    return logs.flatMap((log) => readAnchoredEvent(log, contract) ?? [])
  } catch (error) {
    throw new CannotCheck(`The node shows an event that cannot be read: ${error instanceof Error ? error.message : ''}`)
  }
}

/** Throws if the node's range limit is so small that the search would take days. */
function assertFeasible(range: number, blocks: number): void {
  if (range >= 1 && blocks / range <= MAX_QUERIES) return
  throw new CannotCheck(
    `The node searches fewer than ${range * 2} blocks per request, and ${blocks} must be searched: ` +
      'give another node with --rpc, or the block of the contract with --from-block',
  )
}

/** @throws CannotCheck unless the value is a hexadecimal number below 2^53 */
function parseQuantity(value: unknown): number {
  const number = typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? Number(BigInt(value)) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new CannotCheck('The node returned a value that is not a number')
  return number
}
