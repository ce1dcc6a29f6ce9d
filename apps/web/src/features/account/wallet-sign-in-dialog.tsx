import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import { useAuth } from '../../auth.tsx'
import { queries } from '../../queries.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { WalletTask } from '../../wallet/answer-challenge.ts'
import { WalletChallenge } from '../../wallet/wallet-challenge.tsx'
import { WalletError } from '../../wallet/wallet-error.ts'

export interface WalletSignInDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Signs in with a wallet's signature. A success makes the page around it leave. */
export function WalletSignInDialog({ open, onOpenChange }: WalletSignInDialogProps) {
  const { signedIn } = useAuth()
  const { data: config } = useQuery(queries.config)
  const [rememberMe, setRememberMe] = useState(false)
  const task: WalletTask = {
    challenge(walletAddress, chainId) {
      // A contract wallet speaks on its own chain only, which is the one that it is on.
      const isOffered = chainId !== null && config?.signIn.walletChainIds.includes(chainId)
      return call('walletSignInChallenge', { body: { walletAddress, ...(isOffered ? { chainId } : {}) } })
    },
    async answer(signed) {
      const { user, message } = await call('walletSignIn', { body: { ...signed, rememberMe } })
      if (!user) throw new WalletError('other', message)
      signedIn(user)
    },
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Sign in with a wallet"
      description="One free signature shows that it is yours. A wallet that is new here gets an account of its own."
    >
      <WalletChallenge task={task} hint="Signing moves nothing and costs nothing." />
      <Checkbox
        label="Remember me for 30 days"
        name="rememberMe"
        checked={rememberMe}
        onChange={(event) => setRememberMe(event.target.checked)}
        className="mt-2"
      />
    </Dialog>
  )
}
