import { Wallet } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { importOrThrow } from '../load-page.ts'
import { walletTexts } from '../texts/wallet.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FieldError } from '../ui/field.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { pairing } from './pairing.ts'
import type { FoundWallet } from './wallet-store.ts'

const texts = walletTexts.walletList

type WalletListProps = {
  wallets: readonly FoundWallet[]
  /** No other can be picked meanwhile. */
  isWaiting: boolean
  /** The wallet that was picked. */
  waitingFor: string | null
  onPick: (uid: string) => void
}

/** For wallets on other devices alone. */
const PairingPanel = lazy(async () => ({
  default: (await importOrThrow(() => import('./pairing-panel.tsx'))).PairingPanel,
}))

/** Every wallet of this browser by its own name and icon, as buttons; while one on another device is waited for, how it is reached. */
export function WalletList({ wallets, isWaiting, waitingFor, onPick }: WalletListProps) {
  const open = useSyncExternalStore(pairing.subscribe, pairing.snapshot)
  if (open !== null) {
    return (
      <Suspense fallback={<Spinner>{texts.askingTheRelay}</Spinner>}>
        <PairingPanel pairing={open} />
      </Suspense>
    )
  }
  return (
    <ul className="grid gap-2">
      {wallets.map(({ uid, name, icon, isRecent }) => (
        <li key={uid}>
          <WalletRow name={name} icon={icon} disabled={isWaiting} onClick={() => onPick(uid)}>
            {waitingFor === uid ? (
              <span className="text-hint text-2">{texts.confirmInYourWallet}</span>
            ) : (
              isRecent && <Badge plain>{texts.lastUsed}</Badge>
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
  /** At the right end. */
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

export function NotLoaded() {
  return (
    <div className="grid justify-items-start gap-3">
      <FieldError>{texts.tocsinDidNotAnswer}</FieldError>
      <Button onClick={() => location.reload()}>{texts.reloadThisPage}</Button>
    </div>
  )
}

export function NoWallet() {
  return (
    <div className="grid gap-3">
      <p className="text-body font-semibold">{texts.noBrowserWalletIsInstalled}</p>
      <WalletHelp />
    </div>
  )
}

/** For whoever sees none of theirs in the list. */
export function NoWalletOfMine() {
  return (
    <details className="mt-4 text-base text-2">
      <summary className="cursor-pointer">{texts.iHaveNoWallet}</summary>
      <div className="mt-2 grid gap-3">
        <WalletHelp />
      </div>
    </details>
  )
}

function WalletHelp() {
  return (
    <>
      <p className="text-base text-2">{texts.walletIsABrowserExtension}</p>
      <p className="text-base text-2">{texts.weNeverAsk}</p>
    </>
  )
}
