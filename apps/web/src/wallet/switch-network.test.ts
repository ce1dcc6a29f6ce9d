import { createClient, custom, defineChain, type EIP1193Provider } from 'viem'
import { describe, expect, it } from 'vitest'
import { switchNetwork } from './switch-network.ts'

const chain = defineChain({
  id: 31337,
  name: 'Local Chain',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['http://127.0.0.1:8545'] } },
})

type Answers = { onSwitch?: unknown; onAdd?: unknown; chainIdAfter?: string }

function createWallet({ onSwitch, onAdd, chainIdAfter = '0x7a69' }: Answers) {
  const methods: string[] = []
  const client = createClient({
    transport: custom(
      {
        async request({ method }: { method: string }) {
          methods.push(method)
          if (method === 'wallet_switchEthereumChain' && onSwitch) throw onSwitch
          if (method === 'wallet_addEthereumChain' && onAdd) throw onAdd
          return method === 'eth_chainId' ? chainIdAfter : null
        },
      },
      { retryCount: 0 },
    ),
  })
  const provider: EIP1193Provider = { request: client.request, on: () => {}, removeListener: () => {} }
  return { provider, methods }
}

const createRpcError = (code: number, data?: unknown) => ({ code, message: 'no', ...(data ? { data } : {}) })

describe('switchNetwork', () => {
  it.each<[Answers, string]>([
    [{ onSwitch: createRpcError(4001) }, 'You cancelled in your wallet. Nothing was sent.'],
    [{ onSwitch: createRpcError(-32000) }, 'Failed to switch to Local Chain'],
    [{ chainIdAfter: '0x1' }, 'Failed to switch to Local Chain'],
    [{ onSwitch: createRpcError(4902), onAdd: createRpcError(-32000) }, 'Failed to add Local Chain to the wallet'],
  ])('throws the reason when the wallet returns %j', async (responses, message) => {
    await expect(switchNetwork(createWallet(responses).provider, chain)).rejects.toThrow(message)
  })

  it.each<[Answers, string[]]>([
    [{}, ['wallet_switchEthereumChain', 'eth_chainId']],
    [{ onSwitch: createRpcError(4902) }, ['wallet_switchEthereumChain', 'wallet_addEthereumChain', 'eth_chainId']],
    [
      { onSwitch: createRpcError(-32603, { originalError: { code: 4902 } }) },
      ['wallet_switchEthereumChain', 'wallet_addEthereumChain', 'eth_chainId'],
    ],
  ])('switches, and adds the chain if it is unknown, when the wallet returns %j', async (responses, expected) => {
    const { provider, methods } = createWallet(responses)
    await switchNetwork(provider, chain)
    expect(methods).toEqual(expected)
  })
})
