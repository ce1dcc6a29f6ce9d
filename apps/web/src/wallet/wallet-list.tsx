import { Wallet } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { importOrThrow } from '../browser/load-page.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FieldError } from '../ui/field.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { pairing } from './pairing.ts'
import type { FoundWallet } from './wallet-store.ts'

type WalletListProps = {
  wallets: readonly FoundWallet[]
  /** Disables the list while a request to a wallet is pending. */
  isWaiting: boolean
  /** Uid of the wallet whose request is pending. */
  waitingFor: string | null
  onPick: (uid: string) => void
}

/** Lazy loaded because only remote wallets need it. */
const PairingPanel = lazy(async () => ({
  default: (await importOrThrow(() => import('./pairing-panel.tsx'))).PairingPanel,
}))

/** Lists the wallets as buttons. Shows the pairing panel instead while a pairing is pending. */
export function WalletList({ wallets, isWaiting, waitingFor, onPick }: WalletListProps) {
  const openPairing = useSyncExternalStore(pairing.subscribe, pairing.snapshot)
  if (openPairing !== null) {
    return (
      <Suspense fallback={<Spinner>Connecting to the relay…</Spinner>}>
        <PairingPanel pairing={openPairing} />
      </Suspense>
    )
  }
  return (
    <ul className="grid gap-2">
      {wallets.map(({ uid, name, icon, isRecent }) => (
        <li key={uid}>
          <WalletRow name={name} icon={icon} disabled={isWaiting} onClick={() => onPick(uid)}>
            {waitingFor === uid ? (
              <span className="text-hint text-2">Confirm in your wallet…</span>
            ) : (
              isRecent && <Badge plain>Last used</Badge>
            )}
          </WalletRow>
        </li>
      ))}
    </ul>
  )
}

type WalletRowProps = {
  name: string
  icon: string | null
  disabled: boolean
  onClick: () => void
  /** Content at the right end. */
  children?: ReactNode
}

export function WalletRow({ name, icon, disabled, onClick, children }: WalletRowProps) {
  return (
    <button
      type="button"
      disabled={disabled}
      onClick={onClick}
      className="flex h-14 w-full items-center gap-3 rounded-control border border-line-2 px-3 text-left transition-[background-color,border-color] hover:border-text-3 hover:bg-ink-3 active:bg-ink-2 disabled:cursor-progress"
    >
      {icon === null ? (
        <Wallet aria-hidden size={28} strokeWidth={1.3} className="text-2" />
      ) : (
        <img src={icon} alt="" width={28} height={28} className="size-7 rounded-control" />
      )}
      <span className="min-w-0 flex-1 truncate text-body font-medium">{name}</span>
      {children}
    </button>
  )
}

export function WalletLoadError() {
  return (
    <div className="grid justify-items-start gap-3">
      <FieldError>The server did not respond, so wallets could not be loaded.</FieldError>
      <Button onClick={() => location.reload()}>Reload this page</Button>
    </div>
  )
}

export function NoWallet() {
  return (
    <div className="grid gap-3">
      <p className="text-body font-semibold">No browser wallet is installed.</p>
      <WalletHelp />
    </div>
  )
}

/** Help for users who do not find their wallet in the list. */
export function NoWalletHelp() {
  return (
    <details className="mt-4 text-base text-2">
      <summary className="touch-target w-fit cursor-pointer">I have no wallet</summary>
      <div className="mt-2 grid gap-3">
        <WalletHelp />
      </div>
    </details>
  )
}

function WalletHelp() {
  return (
    <>
      <p className="text-base text-2">
        A wallet is a browser extension that keeps your keys, such as MetaMask, Rabby or Brave Wallet. Install one from
        its official site, then reload this page. On a phone, open this site in the browser inside your wallet app.
      </p>
      <p className="text-base text-2">We never ask for your seed phrase.</p>
    </>
  )
}
