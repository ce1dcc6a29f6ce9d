/**
 * The methods that web pages and wallets may call: reads and signed transactions. Excludes all
 * methods of anvil's own, of which eth_sendUnsignedTransaction sends from any address and could end
 * the anchoring with a false anchor.
 */
const PUBLIC_METHOD =
  /^(eth_get[A-Z]\w+|eth_(blobBaseFee|blockNumber|call|chainId|createAccessList|estimateGas|feeHistory|fillTransaction|gasPrice|maxPriorityFeePerGas|sendRawTransaction|syncing)|net_(listening|version)|web3_(clientVersion|sha3))$/

export function isPublicChainMethod(method: string): boolean {
  return PUBLIC_METHOD.test(method)
}
