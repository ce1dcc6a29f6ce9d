import { type IdentityProvider, identityProviders, type PublicConfig } from '@tocsin/protocol'
import { Wallet } from 'lucide-react'
import { type ComponentType, type MouseEvent, useState } from 'react'
import { endPendingLogout, isLogoutPending } from '../../api/pending-logout.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { ProviderMark } from './provider-mark.tsx'
import { formatProviderHref, providerNames } from './provider-return.ts'
import type { WalletSignInDialogProps } from './wallet-sign-in-dialog.tsx'

interface ProviderButtonsProps {
  signIn: PublicConfig['signIn']
  /** Path on this site that opens after signing in. */
  returnTo: string
}

/**
 * Buttons to sign in without a password, shown above the email form: first the wallet, then the
 * providers that the operator has configured.
 */
export function ProviderButtons({ signIn, returnTo }: ProviderButtonsProps) {
  const providers = identityProviders.filter((provider) => signIn[provider])
  if (!signIn.wallet && providers.length === 0) return null
  return (
    <div className="mb-6">
      <div className="grid grid-cols-2 gap-2">
        {signIn.wallet && <WalletSignInButton />}
        {providers.map((provider) => (
          <ProviderLink key={provider} provider={provider} returnTo={returnTo} isAlone={providers.length === 1} />
        ))}
      </div>
      <p className="mt-5 flex items-center gap-4 text-hint text-2 before:h-px before:flex-1 before:bg-line-1 after:h-px after:flex-1 after:bg-line-1">
        or with email
      </p>
    </div>
  )
}

interface ProviderLinkProps {
  provider: IdentityProvider
  returnTo: string
  /** True if this is the only provider. The button then fills both columns. */
  isAlone: boolean
}

/**
 * Uses a plain link and not the router, because the server redirects to the provider. Sends a
 * pending logout first. If it were sent after the sign-in, it would end the new session.
 */
function ProviderLink({ provider, returnTo, isAlone }: ProviderLinkProps) {
  const [isLoggingOut, setIsLoggingOut] = useState(false)
  const href = formatProviderHref(provider, { returnTo })

  async function logOutFirst(event: MouseEvent) {
    if (!isLogoutPending()) return
    event.preventDefault()
    setIsLoggingOut(true)
    try {
      await endPendingLogout()
      window.location.assign(href)
    } catch {
      toastNoResponse()
    } finally {
      setIsLoggingOut(false)
    }
  }

  return (
    <Button
      asChild
      size="lg"
      busy={isLoggingOut}
      onClick={(event) => void logOutFirst(event)}
      className={isAlone ? 'col-span-2' : ''}
    >
      <a href={href}>
        <ProviderMark provider={provider} />
        {isLoggingOut ? 'Logging out…' : providerNames[provider]}
      </a>
    </Button>
  )
}

function toastNoResponse() {
  toast({
    title: 'Connection Failed',
    description: 'The server did not respond. Try again.',
    variant: 'destructive',
  })
}

/** Loads the wallet code when the button is pressed. */
function WalletSignInButton() {
  const [Dialog, setDialog] = useState<ComponentType<WalletSignInDialogProps> | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  const [isLoading, setIsLoading] = useState(false)

  async function openDialog() {
    setIsLoading(true)
    try {
      const { WalletSignInDialog } = await import('./wallet-sign-in-dialog.tsx')
      setDialog(() => WalletSignInDialog)
      setIsOpen(true)
    } catch {
      toastNoResponse()
    } finally {
      setIsLoading(false)
    }
  }

  return (
    <>
      <Button size="lg" busy={isLoading} onClick={openDialog} className="col-span-2">
        <Wallet aria-hidden size={18} strokeWidth={2} />
        {isLoading ? 'Looking for wallets…' : 'Sign in with a wallet'}
        {!isLoading && <Badge plain>Recommended</Badge>}
      </Button>
      {Dialog && <Dialog open={isOpen} onOpenChange={setIsOpen} />}
    </>
  )
}
