import { useQuery } from '@tanstack/react-query'
import type { AccountProfile } from '@tocsin/protocol'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Address } from '../../ui/address.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { shortenHex } from '../../ui/short-hex.ts'
import { Time, ZoneName } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import type { WalletTask } from '../../wallet/answer-challenge.ts'
import { requestChallenge } from '../../wallet/wallet-actions.ts'
import { WalletChallenge } from '../../wallet/wallet-challenge.tsx'
import { QueryContent } from './query-content.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { useLastSignInMethodReason } from './sign-in-methods.ts'
import { useAccountChange, useAccountRefresh } from './use-account-change.ts'

/** Lists the wallets of the account, and says whether each was verified in this session. */
export function WalletSection() {
  const account = useQuery(queries.account)
  const count = useUser().wallets.length
  const [isLinking, setIsLinking] = useState(false)
  return (
    <Panel
      title="Wallet"
      flush
      actions={
        <Button size="sm" onClick={() => setIsLinking(true)}>
          Link a wallet
        </Button>
      }
      footer="A linked wallet can sign in. Verify it in this session to pay with it and to receive live alerts."
    >
      {/* The number of wallets is known before their details, so the layout does not shift. */}
      {count === 0 && account.data === undefined ? (
        <NoWallets />
      ) : (
        <QueryContent query={account} what="your wallets" rows={count}>
          {(profile) => <Wallets account={profile} />}
        </QueryContent>
      )}
      {isLinking && <LinkWalletDialog onClose={() => setIsLinking(false)} />}
    </Panel>
  )
}

function Wallets({ account }: { account: AccountProfile }) {
  if (account.wallets.length === 0) return <NoWallets />
  return (
    <SettingRows>
      {account.wallets.map((wallet) => (
        <WalletRow key={wallet.address} account={account} wallet={wallet} />
      ))}
    </SettingRows>
  )
}

function NoWallets() {
  return (
    <EmptyState title="No wallet linked">Link a wallet with a free signature. You can then sign in with it.</EmptyState>
  )
}

type WalletRowProps = { account: AccountProfile; wallet: AccountProfile['wallets'][number] }

function WalletRow({ account, wallet: { address, linkedAt, isProvedHere } }: WalletRowProps) {
  const reason = useLastSignInMethodReason(account, { wallet: address })
  const unlink = useAccountChange({
    run: () => call('unlinkWallet', { params: { address } }),
    done: 'Wallet Unlinked',
    failed: 'The wallet could not be unlinked. Please try again.',
  })
  return (
    <SettingRow
      label={<Address value={address} copy />}
      detail={
        <>
          Linked <Time at={linkedAt} show="date" /> <ZoneName />
          {reason !== null && <p>{reason}</p>}
        </>
      }
    >
      {isProvedHere ? <Badge tone="ok">Verified in this session</Badge> : <Badge>Not verified in this session</Badge>}
      {reason === null && (
        <Button busy={unlink.isPending} aria-label={`Unlink ${shortenHex(address)}`} onClick={() => unlink.mutate()}>
          {unlink.isPending ? 'Unlinking…' : 'Unlink'}
        </Button>
      )}
    </SettingRow>
  )
}

/** Links a wallet by signature. A wallet that is already linked is verified in this session. */
function LinkWalletDialog({ onClose }: { onClose: () => void }) {
  const refresh = useAccountRefresh()
  const withReauthentication = useReauthentication()
  const task: WalletTask = {
    challenge: (walletAddress) => requestChallenge(withReauthentication, walletAddress),
    async answer(signedChallenge) {
      const { walletAddress } = await call('proveWallet', { body: signedChallenge })
      toast({ title: 'Wallet Linked', description: shortenHex(walletAddress), variant: 'success' })
      onClose()
      await refresh()
    },
  }
  return (
    <Dialog
      onOpenChange={onClose}
      title="Link a wallet"
      description="Sign a message to prove that the wallet is yours. You can then use it to sign in and to pay for plans."
    >
      <WalletChallenge task={task} hint="Signing is free and does not move any funds." />
    </Dialog>
  )
}
