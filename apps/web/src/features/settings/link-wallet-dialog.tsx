import { call } from '../../api/api.ts'
import { useConfirmed } from '../../session/confirmed.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { shortHex } from '../../ui/short-hex.ts'
import { toast } from '../../ui/toast.tsx'
import type { WalletTask } from '../../wallet/answer-challenge.ts'
import { requestChallenge } from '../../wallet/wallet-actions.ts'
import { WalletChallenge } from '../../wallet/wallet-challenge.tsx'
import { useAccountRefresh } from './use-account-change.ts'

/** Links a wallet by signature. A wallet that is already linked is proved to this session. */
export function LinkWalletDialog({ onClose }: { onClose: () => void }) {
  const refresh = useAccountRefresh()
  const confirmed = useConfirmed()
  const task: WalletTask = {
    challenge: (walletAddress) => requestChallenge(confirmed, walletAddress),
    async answer(signed) {
      const { walletAddress } = await call('proveWallet', { body: signed })
      toast({ title: 'Wallet Linked', description: shortHex(walletAddress), variant: 'success' })
      onClose()
      await refresh()
    },
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Link a wallet"
      description="One free signature shows that the wallet is yours. It can then sign in to this account and pay for it."
    >
      <WalletChallenge task={task} hint="Signing is free and does not move any funds." />
    </Dialog>
  )
}
