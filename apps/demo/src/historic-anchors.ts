import { alertAnchorAbi } from '@tocsin/contracts/abi'
import { bytesToHex } from '@tocsin/proof'
import { createChainClient } from '@tocsin/server/chain/chain-client.ts'
import type { Context } from '@tocsin/server/context.ts'
import { readLatestAnchor } from '@tocsin/server/features/tlog/anchor-contract.ts'
import { mirrorAnchors } from '@tocsin/server/features/tlog/mirror-anchors.ts'
import { findRoot } from '@tocsin/server/features/tlog/store.ts'
import { createTestClient, encodeFunctionData, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { LocalChain } from './local-chain.ts'

const GAS = 150_000n
const MAX_FEE_WEI = 10_000_000_000n

/**
 * Creates anchors in blocks with past times. Bypasses the proxy, which is slow because it saves
 * every change to disk. `save` writes the chain to disk and copies the anchors to the database.
 */
export async function openHistoricAnchors(ctx: Context, chain: LocalChain) {
  const { chainId, contract, key } = ctx.config.anchor
  const directContext: Context = {
    ...ctx,
    anchorChain: createChainClient([chain.directUrl]),
    config: { ...ctx.config, anchor: { ...ctx.config.anchor, rpcUrl: chain.directUrl } },
  }
  const account = privateKeyToAccount(key)
  const node = createTestClient({ mode: 'anvil', transport: http(chain.directUrl) }).extend(publicActions)
  let nonce = await node.getTransactionCount({ address: account.address })
  let anchoredSize = (await readLatestAnchor(directContext)).size
  let unsavedCount = 0

  return {
    unsaved: () => unsavedCount,
    /** Anchors the first `size` entries, unless they are anchored already. */
    async anchorAt(size: number, atMs: number) {
      if (size <= anchoredSize) return
      const root = bytesToHex(await findRoot(ctx.db, size))
      const data = encodeFunctionData({ abi: alertAnchorAbi, functionName: 'anchor', args: [BigInt(size), root] })
      const fees = { gas: GAS, maxFeePerGas: MAX_FEE_WEI, maxPriorityFeePerGas: 1n }
      const transaction = { type: 'eip1559', chainId, to: contract, data, nonce, ...fees } as const
      const serializedTransaction = await account.signTransaction(transaction)
      await node.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(atMs / 1_000)) })
      await node.sendRawTransactionSync({ serializedTransaction, throwOnReceiptRevert: true })
      nonce += 1
      anchoredSize = size
      unsavedCount += 1
    },
    async save() {
      await mirrorAnchors(directContext)
      await chain.persist()
      unsavedCount = 0
    },
  }
}
