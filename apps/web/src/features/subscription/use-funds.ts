import { useQuery } from '@tanstack/react-query'
import type { Funds } from '../../wallet/token-payment.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import type { Terms } from './purchase.ts'

const pollMs = 10_000

/**
 * Balances, allowance and estimated fee of the connected wallet on the payment's chain; null while
 * unknown.
 */
export function useFunds(terms: Terms | null): Funds | null {
  const { readFunds, address, chainId, status } = useWallet()
  const { data } = useQuery({
    queryKey: ['funds', address, chainId, terms && { ...terms, amountWei: terms.amountWei.toString() }],
    queryFn: async () => {
      if (terms === null || address === null) return null
      const { token, amountWei, path } = terms
      const recipient = terms.spender ?? terms.treasury
      return readFunds({ chainId: terms.chainId, token, recipient, payer: address, amountWei }, path)
    },
    enabled: terms !== null && address !== null && status === 'connected' && chainId === terms.chainId,
    // Users who lack funds top up their wallet while the dialog is open.
    refetchInterval: pollMs,
    refetchOnWindowFocus: 'always',
    staleTime: pollMs,
  })
  return data ?? null
}
