import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { ApiError, getErrorMessage } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { useWallet } from '../../wallet/wallet.tsx'

/**
 * A button for users with too little ITO. It requests ITO from the demo's faucet or opens the
 * operator's link. It is disabled if there is neither.
 */
export function TokenSource() {
  const { data: config } = useQuery(queries.config)
  const { address } = useWallet()
  if (config?.demo && address !== null) return <FaucetButton address={address} />
  if (config?.tokenExchangeUrl) {
    return (
      <Button asChild size="lg" variant="primary">
        <a href={config.tokenExchangeUrl} target="_blank" rel="noopener noreferrer">
          <ExternalLink aria-hidden size={16} strokeWidth={2.25} />
          Get ITO
          <span className="sr-only">, opens a new tab</span>
        </a>
      </Button>
    )
  }
  return (
    <Button size="lg" variant="primary" disabled>
      Not enough ITO
    </Button>
  )
}

/**
 * The text below the steps that says how to get ITO. A text above the steps says how much is
 * missing.
 */
export function TokenSourceHint() {
  const { data: config } = useQuery(queries.config)
  const recheckHint = 'Your balance is read again every five seconds.'
  if (config?.demo) return `The demo transfers 100 test ITO on its local chain, once an hour. They are worth nothing.`
  if (!config?.tokenExchangeUrl) return `Send the missing ITO to this wallet. ${recheckHint}`
  return `“Get ITO” opens ${new URL(config.tokenExchangeUrl).host}, where the operator says you can get it. ${recheckHint}`
}

function FaucetButton({ address }: { address: string }) {
  const queryClient = useQueryClient()
  const { refreshBalance } = useWallet()
  const request = useMutation({
    mutationFn: () => requestTestTokens(address),
    onSuccess: async () => {
      await Promise.all([refreshBalance(), queryClient.invalidateQueries({ queryKey: ['funds'] })])
    },
    onError: (error) =>
      toast({
        title: 'No test ITO',
        description: getErrorMessage(error, 'The demo did not respond. Try again.'),
        variant: 'destructive',
      }),
  })
  return (
    <Button size="lg" variant="primary" busy={request.isPending} onClick={() => request.mutate()}>
      {request.isPending ? 'Transferring 100 test ITO…' : 'Get 100 test ITO'}
    </Button>
  )
}

/** The endpoint exists only in the demo and is not part of the API. */
async function requestTestTokens(walletAddress: string): Promise<void> {
  const response = await fetch('/dev/faucet', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ walletAddress }),
  })
  if (!response.ok) throw new ApiError(response.status, await response.text(), response.statusText)
}
