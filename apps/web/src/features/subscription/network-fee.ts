import { useQuery } from '@tanstack/react-query'
import { useWallet } from '../../wallet/wallet.tsx'

/** What a transfer of this amount would cost in the chain's coin, about; null while it can't be told. */
export function useNetworkFee(amountWei: bigint): bigint | null {
  const { estimateFeeWei, address, isCorrectNetwork } = useWallet()
  const { data } = useQuery({
    queryKey: ['network-fee', address, amountWei.toString()],
    queryFn: () => estimateFeeWei(amountWei),
    enabled: address !== null && isCorrectNetwork,
    staleTime: 15_000,
  })
  return data ?? null
}
