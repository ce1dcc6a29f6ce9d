import { testAccount } from '@tocsin/testkit'
import { SignClient } from '@walletconnect/sign-client'
import { createWalletClient, type Hex, http, toHex } from 'viem'
import { foundry } from 'viem/chains'
import { RPC_TIMEOUT_MS } from './local-chain.ts'

export interface PhoneWallet {
  address: string
  /** The requested methods, in order; also `pairing` and `disconnect`. */
  requestedMethods: string[]
  /** The parameters of `eth_sendTransaction` requests, in order. */
  sentTransactions: { to?: Hex; data?: Hex; value?: Hex }[]
  /** Pairs with the URI of the page's QR code. */
  scan(uri: string): Promise<void>
  /**
   * Rejects the next request of this method as the user; `pairing` rejects the session proposal.
   */
  rejectNext(method: string): void
  /** Switches the wallet's chain and emits `chainChanged`. */
  switchChain(chainId: number): Promise<void>
  /** Ends the session from the wallet's side. */
  endSession(): Promise<void>
  stop(): Promise<void>
}

/**
 * Simulates a wallet on another device: a second client of the same relay, in this process, backed
 * by an account of the local chain.
 */
export async function startPhoneWallet(options: {
  relayUrl: string
  projectId: string
  chainUrl: string
  accountIndex: number
}): Promise<PhoneWallet> {
  const { relayUrl, projectId, chainUrl, accountIndex } = options
  const account = testAccount(accountIndex)
  const client = createWalletClient({ account, chain: foundry, transport: http(chainUrl, { timeout: RPC_TIMEOUT_MS }) })
  const metadata = { name: 'Phone Wallet', description: 'A wallet for tests', url: 'https://phone.example', icons: [] }
  const signer = await SignClient.init({
    ...{ relayUrl, projectId, metadata, logger: 'silent', telemetryEnabled: false },
    storageOptions: { database: ':memory:' },
    // Without a prefix, all clients in one process share the same storage.
    customStoragePrefix: `phone-${accountIndex}`,
  })
  const rejections = new Set<string>()
  const requestedMethods: string[] = []
  const sentTransactions: PhoneWallet['sentTransactions'] = []
  let topic = ''

  async function respondToRequest(method: string, params: unknown[]): Promise<unknown> {
    switch (method) {
      case 'personal_sign':
        return account.signMessage({ message: { raw: params[0] as Hex } })
      case 'eth_sendTransaction': {
        const { to, data, value } = params[0] as PhoneWallet['sentTransactions'][number]
        return client.sendTransaction({ to: to ?? null, ...(data ? { data } : {}), value: BigInt(value ?? '0x0') })
      }
      default:
        return null
    }
  }

  const proposals = new Set<number>()
  signer.on('session_proposal', async ({ id, params }) => {
    // Handle each proposal once. A slow page publishes it twice, with the same id.
    if (proposals.has(id)) return
    proposals.add(id)
    requestedMethods.push('pairing')
    if (rejections.delete('pairing')) {
      await signer.reject({ id, reason: { code: 5000, message: 'User rejected.' } })
      return
    }
    const { chains = [], methods = [], events = [] } = params.optionalNamespaces.eip155 ?? {}
    const accounts = chains.map((chain) => `${chain}:${account.address}`)
    const session = await signer.approve({ id, namespaces: { eip155: { chains, accounts, methods, events } } })
    topic = session.topic
  })
  signer.on('session_request', async ({ id, topic: sessionTopic, params: { request } }) => {
    requestedMethods.push(request.method)
    if (request.method === 'eth_sendTransaction') sentTransactions.push(request.params[0])
    const outcome = rejections.delete(request.method)
      ? { error: { code: 5000, message: 'User rejected.' } }
      : { result: await respondToRequest(request.method, request.params) }
    await signer.respond({ topic: sessionTopic, response: { id, jsonrpc: '2.0', ...outcome } })
  })
  signer.on('session_delete', () => requestedMethods.push('disconnect'))

  return {
    address: account.address,
    requestedMethods,
    sentTransactions,
    scan: async (uri) => void (await signer.pair({ uri })),
    rejectNext: (method) => void rejections.add(method),
    switchChain: (chainId) =>
      signer.emit({ topic, chainId: `eip155:${chainId}`, event: { name: 'chainChanged', data: toHex(chainId) } }),
    endSession: () => signer.disconnect({ topic, reason: { code: 6000, message: 'User disconnected.' } }),
    stop: () => signer.core.relayer.transportClose(),
  }
}
