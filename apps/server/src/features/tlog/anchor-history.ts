import { isRejectedByNode } from '../../chain/transfer-logs.ts'
import type { Context } from '../../context.ts'
import { retry } from '../../retry.ts'
import { BLOCKS_PER_QUERY, readAnchoredEvents } from './anchor-contract.ts'
import type { AnchorRow } from './store.ts'

/** Number of successful queries after which a rejected range is tried again. */
const RETRY_RANGE_AFTER_QUERIES = 16

export interface SearchOptions {
  /** Called after each range. `progress` is from 0 to 1. */
  onProgress(progress: number, block: bigint): void
  /** Pause before a failed request is repeated. */
  retryMs?: number
}

/**
 * Reads all anchors of the contract, oldest first, starting at the block of its deployment. Nodes
 * have different limits for the range of a query, and fail occasionally. So a rejected range is
 * halved, ranges grow while the node accepts them, and other failures are retried.
 * @throws Error if the node keeps failing
 */
export async function listAllAnchors(
  ctx: Pick<Context, 'anchorChain' | 'config' | 'logger'>,
  { onProgress, retryMs }: SearchOptions,
): Promise<AnchorRow[]> {
  const retryRead = <T>(work: () => Promise<T>): Promise<T> => {
    const description = 'reading the anchors from the node'
    const signal = new AbortController().signal
    return retry(ctx, { description, signal, ...(retryMs === undefined ? {} : { pauseMs: retryMs }) }, work)
  }
  const lastBlock = await retryRead(() => ctx.anchorChain.getBlockNumber())
  const firstBlock = await findDeploymentBlock(ctx, lastBlock, retryRead)
  const foundAnchors: AnchorRow[] = []
  let range = BLOCKS_PER_QUERY
  let rejectedRange: bigint | null = null
  let answeredCount = 0
  for (let from = firstBlock; from <= lastBlock; ) {
    const to = from + range - 1n < lastBlock ? from + range - 1n : lastBlock
    const events = await retryRead(() => readRange(ctx, from, to))
    if (events === 'rejected') {
      rejectedRange = range
      range /= 2n
      continue
    }
    foundAnchors.push(...events)
    from = to + 1n
    onProgress(Number(from - firstBlock) / Number(lastBlock - firstBlock + 1n), to)
    answeredCount += 1
    if (answeredCount % RETRY_RANGE_AFTER_QUERIES === 0) rejectedRange = null
    if (rejectedRange === null || 2n * range < rejectedRange) range *= 2n
  }
  return foundAnchors
}

/**
 * Reads the anchors of a block range. Returns `rejected` if the read fails and the width of the
 * range may be the reason.
 */
async function readRange(
  ctx: Pick<Context, 'anchorChain' | 'config'>,
  from: bigint,
  to: bigint,
): Promise<AnchorRow[] | 'rejected'> {
  const blocks = to - from + 1n
  try {
    return await readAnchoredEvents(ctx, from, to)
  } catch (error) {
    if (blocks > BLOCKS_PER_QUERY || (blocks > 1n && isRejectedByNode(error))) return 'rejected'
    throw error
  }
}

/**
 * Finds the block in which the contract was deployed, by binary search. Returns 0 if the node does
 * not keep historical state, which is common.
 */
async function findDeploymentBlock(
  { anchorChain, config }: Pick<Context, 'anchorChain' | 'config'>,
  lastBlock: bigint,
  retryRead: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<bigint> {
  const { contract: address } = config.anchor
  let low = 0n
  let high = lastBlock
  while (low < high) {
    const middle = (low + high) / 2n
    const code = await retryRead(() =>
      anchorChain.getCode({ address, blockNumber: middle }).catch((error: unknown) => {
        if (isRejectedByNode(error)) return null
        throw error
      }),
    )
    if (code === null) return 0n
    if (code === undefined) low = middle + 1n
    else high = middle
  }
  return low
}
