import type { IdentityProvider, PublicConfig } from '@tocsin/protocol'
import { Wallet } from 'lucide-react'
import { type ComponentType, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { ProviderMark } from './provider-mark.tsx'
import { providerHref, providerNames } from './provider-return.ts'
import type { WalletSignInDialogProps } from './wallet-sign-in-dialog.tsx'

interface ProviderButtonsProps {
  signIn: PublicConfig['signIn']
  /** Path of this site to open after signing in. */
  returnTo: string
}

/**
 * Buttons for signing in without a password, above the email form. A provider that the operator has
 * not configured shows a toast that says so.
 */
export function ProviderButtons({ signIn, returnTo }: ProviderButtonsProps) {
  return (
    <div className="mb-6">
      <div className="grid grid-cols-2 gap-2">
        <ProviderButton provider="google" isConfigured={signIn.google} returnTo={returnTo} />
        <ProviderButton provider="linkedin" isConfigured={signIn.linkedin} returnTo={returnTo} />
        {signIn.wallet && <WalletSignInButton />}
      </div>
      <p className="mt-5 flex items-center gap-4 text-hint text-2 before:h-px before:flex-1 before:bg-line-1 after:h-px after:flex-1 after:bg-line-1">
        or with email
      </p>
    </div>
  )
}

interface ProviderButtonProps {
  provider: IdentityProvider
  isConfigured: boolean
  returnTo: string
}

/** A configured provider is a plain link, because the server redirects to the provider. */
function ProviderButton({ provider, isConfigured, returnTo }: ProviderButtonProps) {
  const name = providerNames[provider]
  const content = (
    <>
      <ProviderMark provider={provider} />
      {name}
    </>
  )
  if (isConfigured) {
    return (
      <Button asChild size="lg">
        <a href={providerHref(provider, { returnTo })}>{content}</a>
      </Button>
    )
  }
  const explain = () =>
    toast({ title: `${name} is not configured`, description: 'Log in with your email and password, or with a wallet.' })
  return (
    <Button size="lg" onClick={explain}>
      {content}
    </Button>
  )
}

/** Lazy loads the wallet code when pressed. */
function WalletSignInButton() {
  const [Dialog, setDialog] = useState<ComponentType<WalletSignInDialogProps> | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  const [isLoading, setIsLoading] = useState(false)

  async function open() {
    setIsLoading(true)
    try {
      const { WalletSignInDialog } = await import('./wallet-sign-in-dialog.tsx')
      setDialog(() => WalletSignInDialog)
      setIsOpen(true)
    } catch {
      toast({
        title: 'Connection Failed',
        description: 'The server did not answer. Try again.',
        variant: 'destructive',
      })
    } finally {
      setIsLoading(false)
    }
  }

  return (
    <>
      <Button size="lg" busy={isLoading} onClick={open} className="col-span-2">
        <Wallet aria-hidden size={18} strokeWidth={2} />
        {isLoading ? 'Looking for wallets…' : 'Sign in with a wallet'}
      </Button>
      {Dialog && <Dialog open={isOpen} onOpenChange={setIsOpen} />}
    </>
  )
}
