import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { FieldError } from '../ui/field.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { findOnlyWallet } from './only-wallet.ts'
import { pairing } from './pairing.ts'
import { useWalletState } from './use-wallet-state.ts'
import { isRejection } from './wallet-error.ts'
import { NoWallet, NoWalletHelp, WalletList, WalletLoadError } from './wallet-list.tsx'

type ConnectDialogProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  connect: (uid: string) => Promise<void>
}

/**
 * Dialog in which the user connects one of the browser's wallets. If there is only one
 * (`findOnlyWallet`), the dialog requests the connection without waiting for a click.
 */
export function ConnectDialog({ open, onOpenChange, connect }: ConnectDialogProps) {
  const { wallets, hasFailed, status } = useWalletState()
  const attempt = useMutation({
    mutationFn: connect,
    onSuccess() {
      // The dialog stays mounted, so a later opening must find no result of this attempt.
      attempt.reset()
      onOpenChange(false)
    },
  })
  const { isIdle, mutate } = attempt
  const onlyWalletId = findOnlyWallet({ wallets, status })
  useEffect(() => {
    if (open && onlyWalletId !== null && isIdle) mutate(onlyWalletId)
  }, [open, onlyWalletId, isIdle, mutate])

  function handleOpenChange(next: boolean) {
    if (!next) pairing.cancel()
    attempt.reset()
    onOpenChange(next)
  }

  return (
    <Dialog
      open={open}
      onOpenChange={handleOpenChange}
      title="Connect Wallet"
      description="Connecting shows your address and balance. It does not move any funds."
    >
      {hasFailed ? (
        <WalletLoadError />
      ) : wallets === null ? (
        <Spinner>Looking for wallets...</Spinner>
      ) : wallets.length > 0 ? (
        <>
          <WalletList
            wallets={wallets}
            isWaiting={attempt.isPending}
            waitingFor={attempt.isPending ? attempt.variables : null}
            onPick={attempt.mutate}
          />
          <NoWalletHelp />
        </>
      ) : (
        <NoWallet />
      )}
      {attempt.error &&
        (isRejection(attempt.error) ? (
          <p role="status" className="mt-4 text-base text-2">
            {attempt.error.message}
          </p>
        ) : (
          <div className="mt-4">
            <FieldError>{attempt.error.message}</FieldError>
          </div>
        ))}
    </Dialog>
  )
}
