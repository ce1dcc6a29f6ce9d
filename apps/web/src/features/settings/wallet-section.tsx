import { useQuery } from '@tanstack/react-query'
import type { AccountProfile } from '@tocsin/protocol'
import { useState } from 'react'
import { call } from '../../api.ts'
import { useUser } from '../../auth.tsx'
import { queries } from '../../queries.ts'
import { settingsTexts } from '../../texts/settings.tsx'
import { Address } from '../../ui/address.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { shortHex } from '../../ui/short-hex.ts'
import { Time, ZoneName } from '../../ui/time.tsx'
import { LinkWalletDialog } from './link-wallet-dialog.tsx'
import { ReadState } from './read-state.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { useAccountChange } from './use-account-change.ts'
import { whyLastWayIn } from './ways-in.ts'

const texts = settingsTexts.walletSection

/** The wallets that belong to the account, and which of them this session may speak for. */
export function WalletSection() {
  const account = useQuery(queries.account)
  const count = useUser().wallets.length
  const [isLinking, setIsLinking] = useState(false)
  return (
    <Panel
      title={texts.wallet}
      flush
      right={
        <Button size="sm" onClick={() => setIsLinking(true)}>
          {texts.linkAWallet}
        </Button>
      }
      footer={texts.linkedWalletCanSign}
    >
      {/* How many there are is known before more is: nothing moves when the rest arrives. */}
      {count === 0 && account.data === undefined ? (
        <NoWallets />
      ) : (
        <ReadState query={account} what={texts.yourWallets} rows={count}>
          {(profile) => <Wallets account={profile} />}
        </ReadState>
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
  return <EmptyState title={texts.noWalletLinked}>{texts.linkOneWithAFree}</EmptyState>
}

type WalletRowProps = { account: AccountProfile; wallet: AccountProfile['wallets'][number] }

function WalletRow({ account, wallet: { address, linkedAt, isProvedHere } }: WalletRowProps) {
  const reason = whyLastWayIn(account, { wallet: address })
  const unlink = useAccountChange({
    run: () => call('unlinkWallet', { params: { address } }),
    done: texts.walletUnlinked,
    failed: texts.walletCouldNotBeUnlinked,
  })
  return (
    <SettingRow
      label={<Address value={address} copy />}
      detail={
        <>
          {texts.linkedLinkedAtZone({ linkedAt: <Time at={linkedAt} show="date" />, zone: <ZoneName /> })}
          {reason !== null && <p>{reason}</p>}
        </>
      }
    >
      {isProvedHere ? (
        <Badge tone="ok">{texts.provedInThisSession}</Badge>
      ) : (
        <Badge>{texts.notProvedInThisSession}</Badge>
      )}
      {reason === null && (
        <Button
          busy={unlink.isPending}
          aria-label={texts.unlinkAddress({ address: shortHex(address) })}
          onClick={() => unlink.mutate()}
        >
          {unlink.isPending ? texts.unlinking : texts.unlink}
        </Button>
      )}
    </SettingRow>
  )
}
