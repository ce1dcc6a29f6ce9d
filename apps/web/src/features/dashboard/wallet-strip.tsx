import { useMutation } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { getErrorMessage } from '../../api/api.ts'
import { useUser } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { shortenHex } from '../../ui/short-hex.ts'
import { isSameAddress, useWallet, useWalletActions } from '../../wallet/wallet.tsx'
import { isRejection, WalletError } from '../../wallet/wallet-error.ts'
import { useSubscription } from '../subscription/use-subscription.ts'

/**
 * Warns if the wallet is on the wrong chain or not proved, with a button to fix it. Otherwise
 * renders nothing.
 */
export function WalletStrip() {
  const { wallets } = useUser()
  const { status, address, isCorrectNetwork, isProved, network, switchNetwork } = useWallet()
  if (status !== 'connected' || address === null) return null
  if (!isCorrectNetwork) {
    return (
      <WarningStrip
        text={`Wrong Network. Please switch to ${network.name} to use this application.`}
        actions={<Button onClick={() => void switchNetwork()}>{`Switch to ${network.name}`}</Button>}
      />
    )
  }
  if (isProved) return null
  const [ownAddress] = wallets
  const isUnlinkedWallet = ownAddress !== undefined && !wallets.some((wallet) => isSameAddress(wallet, address))
  return isUnlinkedWallet ? <UnlinkedWallet address={address} owner={ownAddress} /> : <UnprovedWallet />
}

function UnprovedWallet() {
  const proof = useWalletProof()
  return (
    <WarningStrip
      text="This wallet is connected but not verified yet. Sign one free message to show that you own it."
      actions={<ProveButton proof={proof} />}
      error={proof.message}
    />
  )
}

function UnlinkedWallet({ address, owner }: { address: string; owner: string }) {
  const proof = useWalletProof()
  const { openConnect } = useWalletActions()
  const { subscription } = useSubscription()
  const relation = subscription ? 'your plan belongs to' : 'your account is linked to'
  return (
    <WarningStrip
      text={`The connected wallet is ${shortenHex(address)}, but ${relation} ${shortenHex(owner)}.`}
      actions={
        <>
          <ProveButton proof={proof} />
          <Button variant="ghost" onClick={openConnect}>
            Choose another account
          </Button>
        </>
      }
      error={proof.message}
    />
  )
}

type WalletProof = ReturnType<typeof useWalletProof>

function useWalletProof() {
  const { prove } = useWalletActions()
  const mutation = useMutation({ mutationFn: prove })
  const { error } = mutation
  const message =
    error &&
    (error instanceof WalletError ? error.message : getErrorMessage(error, 'The wallet could not be verified.'))
  return {
    ...mutation,
    message: message && isRejection(error) ? 'You cancelled in your wallet. Nothing was sent.' : message,
  }
}

function ProveButton({ proof }: { proof: WalletProof }) {
  return (
    <Button busy={proof.isPending} onClick={() => proof.mutate()}>
      {proof.isPending ? 'Waiting for your wallet…' : 'Verify this wallet'}
    </Button>
  )
}

type StripProps = { text: string; actions: ReactNode; error?: string | null }

function WarningStrip({ text, actions, error = null }: StripProps) {
  return (
    <div
      role="status"
      className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 border border-l-2 border-line-1 border-l-medium bg-ink-1 py-2.5 pr-3 pl-4"
    >
      <TriangleAlert aria-hidden size={16} strokeWidth={2.25} className="shrink-0 text-medium" />
      <p className="min-w-60 flex-1 text-base">
        {text}
        {error !== null && <span className="block text-2">{error}</span>}
      </p>
      <div className="flex flex-wrap gap-2">{actions}</div>
    </div>
  )
}
