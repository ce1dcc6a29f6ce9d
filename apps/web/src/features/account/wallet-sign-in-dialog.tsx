import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { useAuth } from '../../session/auth.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { WalletTask } from '../../wallet/answer-challenge.ts'
import { WalletChallenge } from '../../wallet/wallet-challenge.tsx'
import { WalletError } from '../../wallet/wallet-error.ts'

export interface WalletSignInDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Signs in with a wallet's signature. The page redirects afterwards. */
export function WalletSignInDialog({ open, onOpenChange }: WalletSignInDialogProps) {
  const { onSignIn, awaitFactor } = useAuth()
  const { data: config } = useQuery(queries.config)
  const [rememberMe, setRememberMe] = useState(false)
  const task: WalletTask = {
    challenge(walletAddress, chainId) {
      // Send the wallet's current chain if the server supports it, because the signature of a
      // contract wallet is valid only on the chain of the contract.
      const isConfiguredChain = chainId !== null && config?.signIn.walletChainIds.includes(chainId)
      return call('walletSignInChallenge', { body: { walletAddress, ...(isConfiguredChain ? { chainId } : {}) } })
    },
    async answer(signedChallenge) {
      const { user, awaitedFactor, message } = await call('walletSignIn', { body: { ...signedChallenge, rememberMe } })
      if (awaitedFactor) return awaitFactor(awaitedFactor)
      if (!user) throw new WalletError('other', message)
      onSignIn(user)
    },
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Sign in with a wallet"
      description="One free signature shows that the wallet is yours. If the wallet is new to this site, an account is created for it."
    >
      <WalletChallenge task={task} hint="Signing is free and does not move any funds." isDirect />
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
