import { itoTokenAbi } from '@tocsin/contracts/abi'
import type { PublicConfig } from '@tocsin/protocol'
import { decodeFunctionData, encodeFunctionResult, type Hex, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { checkProvider } from './checked-provider.ts'
import { TokenChain } from './token-chain.ts'
import type { TokenPayment } from './token-payment.ts'
import { WalletError, type WalletErrorKind } from './wallet-error.ts'

const hash: Hex = `0x${'ab'.repeat(32)}`
const payment: TokenPayment = {
  chainId: 137,
  token: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  recipient: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
  payer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  amountWei: 10n ** 19n,
}
const config: Pick<PublicConfig, 'chain'> = {
  chain: { id: 137, name: 'Polygon (MATIC)', rpcUrl: null, confirmations: 1, isReadable: true },
}

/** An error that viem does not retry. */
const noAnswer = Object.assign(new Error('The method is not known.'), { code: -32601 })

const revertError = Object.assign(new Error('execution reverted: ERC20InsufficientBalance'), { code: -32603 })

type SentTransaction = { to: Hex; data: Hex; from: Hex; value?: Hex }
type Answers = {
  chainId?: number
  code?: Hex
  sends?: unknown
  fails?: Error
  view?: () => Hex
  /** Called with the method of every request, before the response. */
  onRequest?: (method: string) => void
}

/** A chain that is read and written through a fake wallet. `sent` records its transactions. */
function openChain({ chainId = 137, code = '0x60', sends = hash, fails, view, onRequest }: Answers) {
  const sent: SentTransaction[] = []
  const respond = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    onRequest?.(method)
    switch (method) {
      case 'eth_chainId':
        return numberToHex(chainId)
      case 'eth_getCode':
        return code
      case 'eth_call':
        if (view) return view()
        throw noAnswer
      case 'eth_getBalance':
        return numberToHex(7n)
      case 'eth_sendTransaction':
        // The cast is safe: viem passes one transaction in `params`.
        sent.push(...(params as SentTransaction[]))
        if (fails) throw fails
        return sends
      default:
        throw noAnswer
    }
  }
  const provider = checkProvider({ request: respond })
  // Cast: TokenChain reads only these fields of the configuration.
  return { chain: new TokenChain(137, config as PublicConfig, async () => provider), sent }
}

const { signal } = new AbortController()

describe('TokenChain.send', () => {
  const noHashPattern = /^Your wallet returned no transaction/
  const rejectedPaymentPattern = /^The network rejected the payment\. No ITO left your wallet\.$/
  it.each<[string, Answers, WalletErrorKind, RegExp, number]>([
    ['the wallet is on another chain', { chainId: 1 }, 'not_sent', /^Your wallet is not on Polygon \(MATIC\)/, 0],
    ['the token address has no code', { code: '0x' }, 'not_sent', /^Contract not initialized$/, 0],
    [
      'the response of the chain is invalid',
      { code: '0xno' as Hex },
      'not_sent',
      /^Your wallet returned an invalid response/,
      0,
    ],
    ['the transfer reverts', { fails: revertError }, 'reverted', rejectedPaymentPattern, 1],
    ['the error has an unknown code', { fails: new Error('something else') }, 'other', /^Transaction failed$/, 1],
    ['the response is not a hash', { sends: { not: 'a hash' } }, 'invalid_response', noHashPattern, 1],
    ['the hash is too short', { sends: '0xabcd' }, 'invalid_response', noHashPattern, 1],
  ])('throws when %s', async (_name, responses, kind, message, requests) => {
    const { chain, sent } = openChain(responses)
    await expect(chain.send(payment, 'transfer', signal)).rejects.toThrow(
      expect.objectContaining({ kind, message: expect.stringMatching(message) }),
    )
    expect(sent).toHaveLength(requests)
  })

  it.each(['eth_getCode', 'eth_chainId'])(
    'sends no transaction to the wallet when aborted during %s',
    async (method) => {
      const controller = new AbortController()
      const stopAtMethod = (requestedMethod: string) => {
        if (requestedMethod === method) controller.abort(new WalletError('stopped', 'Stopped.'))
      }
      const { chain, sent } = openChain({ onRequest: stopAtMethod })
      await expect(chain.send(payment, 'transfer', controller.signal)).rejects.toThrow('Stopped.')
      expect(sent).toEqual([])
    },
  )

  it('does not fall back to wallet_sendTransaction when aborted during eth_sendTransaction', async () => {
    const controller = new AbortController()
    const methods: string[] = []
    const { chain } = openChain({
      fails: Object.assign(new Error('not supported'), { code: -32601 }),
      onRequest: (method) => {
        methods.push(method)
        if (method === 'eth_sendTransaction') controller.abort(new WalletError('stopped', 'Stopped.'))
      },
    })
    await expect(chain.send(payment, 'transfer', controller.signal)).rejects.toThrow('Stopped.')
    // Without the abort, viem would fall back to wallet_sendTransaction.
    expect(methods.filter((method) => method.endsWith('_sendTransaction'))).toEqual(['eth_sendTransaction'])
  })

  it.each(['transfer', 'approve'] as const)('requests exactly one %s of the exact amount', async (path) => {
    const { chain, sent } = openChain({})
    expect(await chain.send(payment, path, signal)).toBe(hash)
    const [{ to, data, from, value } = { to: '', data: '0x', from: '' }] = sent
    expect(sent).toHaveLength(1)
    expect([to, from, value]).toEqual([payment.token, payment.payer, undefined])
    expect(decodeFunctionData({ abi: itoTokenAbi, data: data as Hex })).toEqual({
      functionName: path,
      args: [payment.recipient, payment.amountWei],
    })
  })
})

describe('TokenChain.readFunds', () => {
  it('returns null for a balance and a fee that can’t be read', async () => {
    const funds = await openChain({}).chain.readFunds(payment, 'approve')
    expect(funds).toEqual({ balanceWei: null, nativeWei: 7n, allowanceWei: 0n, feeWei: null })
  })

  it('reads balance and allowance', async () => {
    const view = () => encodeFunctionResult({ abi: itoTokenAbi, functionName: 'balanceOf', result: 5n })
    const { chain } = openChain({ view })
    expect(await chain.readFunds(payment, 'approve')).toMatchObject({ balanceWei: 5n, allowanceWei: 5n })
    expect(await chain.readFunds(payment, 'transfer')).toMatchObject({ balanceWei: 5n, allowanceWei: 0n })
  })
})
