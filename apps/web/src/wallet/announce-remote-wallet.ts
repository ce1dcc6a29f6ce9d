import { chainRead, type PublicConfig, supportedChainIds } from '@tocsin/protocol'
import { call } from '../api.ts'
import { browserStorage } from '../browser-storage.ts'
import { ProviderError } from './provider-error.ts'
import { type RelayClient, RemoteWallet } from './remote-wallet.ts'

type Relay = NonNullable<PublicConfig['walletConnect']>

/** Not the mark of its makers: theirs is not ours to show. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1f292f"/>' +
    '<path d="M8 14.5c4.4-4.3 11.6-4.3 16 0M11.5 18c2.5-2.4 6.5-2.4 9 0" fill="none" stroke="#ecf1f3" stroke-width="2" stroke-linecap="round"/>' +
    '<circle cx="16" cy="22" r="2" fill="#19e5e5"/></svg>',
)}`

/**
 * Announces wallets on other devices to this page as an extension would (EIP-6963), now and
 * whenever the page asks.
 */
export function announceRemoteWallet({ chain }: PublicConfig, relay: Relay): void {
  const provider = new RemoteWallet({
    open: () => openRelay(relay),
    chainIds: [...new Set([chain.id, ...supportedChainIds])],
    read: readChain,
    storage: browserStorage,
  })
  const info = { uuid: 'c1f5a1de-8c0e-4f5b-9e0b-6a54cf2f4c11', name: 'WalletConnect', icon, rdns: 'org.walletconnect' }
  const detail = Object.freeze({ info, provider })
  const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}

/**
 * The library is loaded when somebody wants such a wallet, or has one. It speaks to the relay and
 * to nobody else.
 */
async function openRelay({ projectId, relayUrl }: Relay): Promise<RelayClient> {
  const { SignClient } = await import('@walletconnect/sign-client')
  const { origin } = location
  const client = await SignClient.init({
    projectId,
    relayUrl,
    metadata: {
      name: 'Tocsin',
      description: 'Market anomaly alerts',
      url: origin,
      icons: [`${origin}/touch-icon.png`],
    },
    telemetryEnabled: false,
    logger: 'silent',
  })
  // It would load a page of its makers in a frame before each pairing, and wait for it.
  client.core.verify.register = async () => ''
  const { relayer } = client.core
  const publish = relayer.publish.bind(relayer)
  // Beside the sealed message it would tell the relay in clear which method is asked on which chain
  // and contract.
  relayer.publish = (topic, message, { tvf: _tvf, ...options } = {}) => publish(topic, message, options)
  return client
}

async function readChain(asked: { chainId: number; method: string; params: unknown }): Promise<unknown> {
  const body = chainRead.safeParse(asked)
  if (!body.success) throw new ProviderError(4200, `${asked.method} is not asked here.`)
  const { result } = await call('readChain', { body: body.data })
  return result
}
