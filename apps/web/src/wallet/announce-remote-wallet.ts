import { chainRead, type PublicConfig, supportedChainIds } from '@tocsin/protocol'
import { call } from '../api/api.ts'
import { browserStorage } from '../browser/browser-storage.ts'
import { ProviderError } from './provider-error.ts'
import { type RelayClient, RemoteWallet } from './remote-wallet.ts'

type Relay = NonNullable<PublicConfig['walletConnect']>

/** An icon of our own: the WalletConnect logo is a trademark. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1f292f"/>' +
    '<path d="M8 14.5c4.4-4.3 11.6-4.3 16 0M11.5 18c2.5-2.4 6.5-2.4 9 0" fill="none" stroke="#ecf1f3" stroke-width="2" stroke-linecap="round"/>' +
    '<circle cx="16" cy="22" r="2" fill="#19e5e5"/></svg>',
)}`

/** Announces the remote wallet like an extension (EIP-6963): now and on every provider request. */
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

/** Loads the WalletConnect library on first use. Configured to contact only the relay. */
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
  // Prevent the library from loading WalletConnect's verification page in an iframe before each
  // pairing.
  client.core.verify.register = async () => ''
  const { relayer } = client.core
  const publish = relayer.publish.bind(relayer)
  // "tvf" tells the relay, unencrypted, the method, chain and contract of each request. Drop it.
  relayer.publish = (topic, message, { tvf: _tvf, ...options } = {}) => publish(topic, message, options)
  return client
}

async function readChain(request: { chainId: number; method: string; params: unknown }): Promise<unknown> {
  const body = chainRead.safeParse(request)
  if (!body.success) throw new ProviderError(4200, `${request.method} is not supported here.`)
  const { result } = await call('readChain', { body: body.data })
  return result
}
