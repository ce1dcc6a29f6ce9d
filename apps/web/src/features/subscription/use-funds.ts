import { useQuery } from '@tanstack/react-query'
import type { Funds } from '../../wallet/token-payment.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import type { Terms } from './purchase.ts'

const freshMs = 10_000

/**
 * What the connected wallet holds on the payment's chain, and what the transaction would cost; null
 * while it can't be told.
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
    // Somebody who lacks coins gets some meanwhile.
    refetchInterval: freshMs,
    refetchOnWindowFocus: 'always',
    staleTime: freshMs,
  })
  return data ?? null
}
