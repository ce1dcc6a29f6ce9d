import { type Chain, type EIP1193Provider, numberToHex } from 'viem'
import { explainError, isUnknownChain } from './explain-error.ts'
import { isRejection, WalletError, type WalletErrorKind } from './wallet-error.ts'

/**
 * Asks the wallet to switch to the chain and adds the chain if it is unknown (EIP-3326, EIP-3085).
 * Then reads the chain id, because some wallets report success without switching.
 * @throws WalletError
 */
export async function switchNetwork(provider: EIP1193Provider, chain: Chain): Promise<void> {
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: numberToHex(chain.id) }] })
  } catch (error) {
    if (!isUnknownChain(error)) throw explainSwitch(error, chain, 'other', `Failed to switch to ${chain.name}`)
    await addNetwork(provider, chain)
  }
  const chainId = await provider.request({ method: 'eth_chainId' })
  if (Number(chainId) !== chain.id) throw new WalletError('other', `Failed to switch to ${chain.name}`)
}

async function addNetwork(provider: EIP1193Provider, chain: Chain): Promise<void> {
  const explorer = chain.blockExplorers?.default.url
  try {
    await provider.request({
      method: 'wallet_addEthereumChain',
      params: [
        {
          chainId: numberToHex(chain.id),
          chainName: chain.name,
          nativeCurrency: chain.nativeCurrency,
          rpcUrls: chain.rpcUrls.default.http,
          ...(explorer === undefined ? {} : { blockExplorerUrls: [explorer] }),
        },
      ],
    })
  } catch (error) {
    throw explainSwitch(error, chain, 'chain_not_added', `Failed to add ${chain.name} to the wallet`)
  }
}

function explainSwitch(error: unknown, chain: Chain, kind: WalletErrorKind, message: string): WalletError {
  const explained = explainError(error, chain.name, message)
  return isRejection(explained) ? explained : new WalletError(kind, message, explained.technical)
}
