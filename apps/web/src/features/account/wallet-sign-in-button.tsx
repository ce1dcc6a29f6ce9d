import { Wallet } from 'lucide-react'
import { type ComponentType, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import type { WalletSignInDialogProps } from './wallet-sign-in-dialog.tsx'

/** Lazy loads the wallet code when pressed. */
export function WalletSignInButton() {
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
