import { useMutation } from '@tanstack/react-query'
import { Wallet } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FieldError } from '../ui/field.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { useWalletState } from './use-wallet-state.ts'
import { isRejection } from './wallet-error.ts'
import type { FoundWallet } from './wallet-store.ts'

type ConnectDialogProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  connect: (uid: string) => Promise<void>
}

/** Every wallet of this browser by its own name and icon. */
export function ConnectDialog({ open, onOpenChange, connect }: ConnectDialogProps) {
  const { wallets, hasFailed } = useWalletState()
  const attempt = useMutation({ mutationFn: connect, onSuccess: () => onOpenChange(false) })

  function handleOpenChange(next: boolean) {
    attempt.reset()
    onOpenChange(next)
  }

  return (
    <Dialog
      open={open}
      onOpenChange={handleOpenChange}
      title="Connect Wallet"
      description="Connecting shows your address and balance. It moves nothing."
    >
      {hasFailed ? (
        <NotLoaded />
      ) : wallets === null ? (
        <Spinner>Looking for wallets...</Spinner>
      ) : wallets.length > 0 ? (
        <WalletList
          wallets={wallets}
          waitingFor={attempt.isPending ? attempt.variables : null}
          onPick={attempt.mutate}
        />
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

type WalletListProps = {
  wallets: readonly FoundWallet[]
  waitingFor: string | null
  onPick: (uid: string) => void
}

function WalletList({ wallets, waitingFor, onPick }: WalletListProps) {
  return (
    <ul className="grid gap-2">
      {wallets.map(({ uid, name, icon, isRecent }) => (
        <li key={uid}>
          <button
            type="button"
            disabled={waitingFor !== null}
            onClick={() => onPick(uid)}
            className="flex h-14 w-full items-center gap-3 rounded-control border border-line-2 px-3 text-left transition-[background-color,border-color] hover:border-text-3 hover:bg-ink-3 active:bg-ink-2 disabled:cursor-progress"
          >
            {icon === null ? (
              <Wallet aria-hidden size={28} strokeWidth={1.3} className="text-2" />
            ) : (
              <img src={icon} alt="" width={28} height={28} className="size-7 rounded-control" />
            )}
            <span className="min-w-0 flex-1 truncate text-body font-medium">{name}</span>
            {waitingFor === uid ? (
              <span className="text-hint text-2">Confirm in your wallet…</span>
            ) : (
              isRecent && <Badge plain>Last used</Badge>
            )}
          </button>
        </li>
      ))}
    </ul>
  )
}

function NotLoaded() {
  return (
    <div className="grid justify-items-start gap-3">
      <FieldError>Tocsin did not answer, so no wallet could be looked for.</FieldError>
      <Button onClick={() => location.reload()}>Reload this page</Button>
    </div>
  )
}

function NoWallet() {
  return (
    <div className="grid gap-3">
      <p className="text-body font-semibold">No browser wallet is installed.</p>
      <p className="text-base text-2">
        A wallet is a browser extension that keeps your keys, such as MetaMask, Rabby or Brave Wallet. Install one from
        its maker’s own site, then reload this page. On a phone, open this site in the browser inside your wallet app.
      </p>
      <p className="text-base text-2">We never ask for your seed phrase.</p>
    </div>
  )
}
