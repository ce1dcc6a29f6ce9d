import {
  type AnchorEvidence,
  type Primitives,
  type ProofBundle,
  type Rpc,
  readAnchorEvidence,
  verifyBundle,
  verifyReceipt,
} from '@tocsin/proof'
import { type ChainRpc, createChainRpc } from './chain-rpc.ts'
import { checkLog } from './check-log.ts'
import type { BundleCheckResult, NodeUsage, ProofTask, TaskResults, Trust } from './proof-task.ts'
import { recomputeRecord } from './recompute-record.ts'

type AnyResult = TaskResults[keyof TaskResults]
interface TaskOptions {
  openChain?: (url: string, chainId: number) => ChainRpc
  /** A faster implementation of key recovery than the one in JavaScript. */
  primitives?: Primitives | undefined
}

/**
 * Runs a task of the worker. In a `verify` task, `onProgress` receives the results of the checks
 * that need no chain, before the chain is queried.
 */
export async function runTask(
  task: ProofTask,
  onProgress: (result: AnyResult) => void,
  { openChain = createChainRpc, primitives }: TaskOptions = {},
): Promise<AnyResult> {
  if (task.kind === 'verifyOffline') return verifyBundle(task.bundle, { trust: task.trust, rpc: rejectingRpc })
  const { rpcUrl, trust } = task
  const chain = openChain(rpcUrl, trust.domain.chainId)
  if (task.kind === 'verifyReceipt') {
    const paymentChain = openChain(task.paymentRpcUrl, task.paymentChainId)
    return verifyReceipt(task.file, { trust, rpc: chain.rpc, paymentRpc: paymentChain.rpc })
  }
  const rpc = rpcUrl === '' ? rejectingRpc : chain.rpc
  const startedAtMs = performance.now()
  const nodeUsage = (): NodeUsage => ({
    rpcUrl,
    requestCount: chain.getRequestCount(),
    problem: chain.getProblem(),
    tookMs: performance.now() - startedAtMs,
  })
  if (task.kind === 'checkLog') return { ...(await checkLog(task.log, trust, chain.rpc)), nodeUsage: nodeUsage() }
  if (task.kind === 'recomputeRecord') {
    return { ...(await recomputeRecord(task.record, trust, rpc, primitives)), nodeUsage: nodeUsage() }
  }
  const [firstBundle] = task.bundles
  if (!firstBundle) throw new Error('There is nothing to check.')
  onProgress({ ...(await verifyOneBundle(firstBundle, trust, rejectingRpc)), nodeUsage: nodeUsage() })
  let checkResult = await verifyOneBundle(firstBundle, trust, rpc)
  for (const bundle of task.bundles.slice(1)) {
    if (checkResult.verification.verdict === 'failed') break
    checkResult = await verifyOneBundle(bundle, trust, rpc)
  }
  return { ...checkResult, nodeUsage: nodeUsage() }
}

const rejectingRpc: Rpc = () => Promise.reject(new Error('The chain has not been queried yet.'))

async function verifyOneBundle(
  bundle: ProofBundle,
  trust: Trust,
  rpc: Rpc,
): Promise<Omit<BundleCheckResult, 'nodeUsage'>> {
  const verification = await verifyBundle(bundle, { trust, rpc })
  return { verification, anchor: await readAnchor(bundle, trust, rpc, verification.blockAt) }
}

/**
 * Reads block and confirmations. Sends no new requests: the responses are cached by the RPC client.
 */
async function readAnchor(
  { alert }: ProofBundle,
  { domain }: Trust,
  rpc: Rpc,
  blockAt: string | null,
): Promise<AnchorEvidence | null> {
  if (blockAt === null) return null
  const evidence = await readAnchorEvidence(rpc, domain, alert.avalancheTx, alert.treeSize)
  return evidence === 'unavailable' ? null : evidence
}
