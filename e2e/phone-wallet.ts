import { testAccount } from '@tocsin/testkit'
import { SignClient } from '@walletconnect/sign-client'
import { createWalletClient, type Hex, http, toHex } from 'viem'
import { foundry } from 'viem/chains'

export interface PhoneWallet {
  address: string
  /** What it was asked, in order. */
  requests: string[]
  /** What it was asked to send, in order. */
  sent: { to?: Hex; data?: Hex; value?: Hex }[]
  /** Reads the link that the page shows, as its camera would. */
  scan(uri: string): Promise<void>
  /**
   * Makes the next request of this kind fail as its owner's refusal does; `pairing` for the wish to
   * connect itself.
   */
  rejectNext(method: string): void
  /** Moves to another chain in its own window. */
  switchChain(chainId: number): Promise<void>
  /** Ends the session on its own side. */
  endSession(): Promise<void>
  stop(): Promise<void>
}

/**
 * A wallet on another device: a second client of the same relay, in this process, backed by an
 * account of the local chain.
 */
export async function startPhoneWallet(options: {
  relayUrl: string
  projectId: string
  chainUrl: string
  accountIndex: number
}): Promise<PhoneWallet> {
  const { relayUrl, projectId, chainUrl, accountIndex } = options
  const account = testAccount(accountIndex)
  const client = createWalletClient({ account, chain: foundry, transport: http(chainUrl) })
  const metadata = { name: 'Phone Wallet', description: 'A wallet for tests', url: 'https://phone.example', icons: [] }
  const signer = await SignClient.init({
    ...{ relayUrl, projectId, metadata, logger: 'silent', telemetryEnabled: false },
    storageOptions: { database: ':memory:' },
    // Clients of one process share what they know unless they are told apart.
    customStoragePrefix: `phone-${accountIndex}`,
  })
  const refused = new Set<string>()
  const requests: string[] = []
  const sent: PhoneWallet['sent'] = []
  let topic = ''

  async function answer(method: string, params: unknown[]): Promise<unknown> {
    switch (method) {
      case 'personal_sign':
        return account.signMessage({ message: { raw: params[0] as Hex } })
      case 'eth_sendTransaction': {
        const { to, data, value } = params[0] as PhoneWallet['sent'][number]
        return client.sendTransaction({ to: to ?? null, ...(data ? { data } : {}), value: BigInt(value ?? '0x0') })
      }
      default:
        return null
    }
  }

  signer.on('session_proposal', async ({ id, params }) => {
    requests.push('pairing')
    if (refused.delete('pairing')) {
      await signer.reject({ id, reason: { code: 5000, message: 'User rejected.' } })
      return
    }
    const { chains = [], methods = [], events = [] } = params.optionalNamespaces.eip155 ?? {}
    const accounts = chains.map((chain) => `${chain}:${account.address}`)
    const session = await signer.approve({ id, namespaces: { eip155: { chains, accounts, methods, events } } })
    topic = session.topic
  })
  signer.on('session_request', async ({ id, topic: asking, params: { request } }) => {
    requests.push(request.method)
    if (request.method === 'eth_sendTransaction') sent.push(request.params[0])
    const outcome = refused.delete(request.method)
      ? { error: { code: 5000, message: 'User rejected.' } }
      : { result: await answer(request.method, request.params) }
    await signer.respond({ topic: asking, response: { id, jsonrpc: '2.0', ...outcome } })
  })
  signer.on('session_delete', () => requests.push('disconnect'))

  return {
    address: account.address,
    requests,
    sent,
    scan: async (uri) => void (await signer.pair({ uri })),
    rejectNext: (method) => void refused.add(method),
    switchChain: (chainId) =>
      signer.emit({ topic, chainId: `eip155:${chainId}`, event: { name: 'chainChanged', data: toHex(chainId) } }),
    endSession: () => signer.disconnect({ topic, reason: { code: 6000, message: 'User disconnected.' } }),
    stop: () => signer.core.relayer.transportClose(),
  }
}
