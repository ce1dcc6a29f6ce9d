import { Wallet } from 'lucide-react'
import { type ComponentType, useState } from 'react'
import { accountTexts } from '../../texts/account.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import type { WalletSignInDialogProps } from './wallet-sign-in-dialog.tsx'

const texts = accountTexts.walletSignInButton

/** Nothing of the wallet code is loaded before it is pressed. */
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
      toast({ title: texts.connectionFailed, description: texts.tocsinDidNotAnswerTry, variant: 'destructive' })
    } finally {
      setIsLoading(false)
    }
  }

  return (
    <>
      <Button size="lg" busy={isLoading} onClick={open} className="col-span-2">
        <Wallet aria-hidden size={18} strokeWidth={2} />
        {isLoading ? texts.lookingForWallets : texts.signInWithAWallet}
      </Button>
      {Dialog && <Dialog open={isOpen} onOpenChange={setIsOpen} />}
    </>
  )
}
