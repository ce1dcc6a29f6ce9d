import { useMutation, useQuery } from '@tanstack/react-query'
import type { AccountProfile, IdentityProvider } from '@tocsin/protocol'
import { useState } from 'react'
import { call } from '../../api.ts'
import { useConfirmed } from '../../confirmation.tsx'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { settingsTexts } from '../../texts/settings.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { ProviderMark } from '../account/provider-mark.tsx'
import { providerHref, providerNames } from '../account/provider-return.ts'
import { PasswordDialog } from './password-dialog.tsx'
import { ReadState } from './read-state.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { toastFailure, useAccountChange } from './use-account-change.ts'
import { whyLastWayIn } from './ways-in.ts'

const texts = settingsTexts.securitySection

/** The ways to sign in, and what can be done about each. Wallets have their own section. */
export function SecuritySection() {
  const account = useQuery(queries.account)
  return (
    <Panel title={texts.security} flush detail={texts.waysToSignIn}>
      <ReadState query={account} what={texts.yourWaysToSignIn} rows={4}>
        {(profile) => (
          <SettingRows>
            <PasswordRow account={profile} />
            <ProviderRow account={profile} provider="google" />
            <ProviderRow account={profile} provider="linkedin" />
            <WalletsRow account={profile} />
          </SettingRows>
        )}
      </ReadState>
    </Panel>
  )
}

function PasswordRow({ account }: { account: AccountProfile }) {
  const [isOpen, setIsOpen] = useState(false)
  const { hasPassword, email, emailVerified } = account
  if (!hasPassword && (email === null || !emailVerified)) {
    return <SettingRow label={texts.password} detail={texts.noneVerifyAnEmailAddress} />
  }
  return (
    <SettingRow label={texts.password} detail={hasPassword ? texts.setYouLog : texts.noneSet}>
      <Button aria-label={hasPassword ? texts.changePassword : texts.setAPassword} onClick={() => setIsOpen(true)}>
        {hasPassword ? texts.change : texts.set}
      </Button>
      {isOpen && <PasswordDialog account={account} onClose={() => setIsOpen(false)} />}
    </SettingRow>
  )
}

function ProviderRow({ account, provider }: { account: AccountProfile; provider: IdentityProvider }) {
  const { data: config } = useQuery(queries.config)
  const name = providerNames[provider]
  const linked = account.identities.find((identity) => identity.provider === provider)
  const reason = whyLastWayIn(account, { provider })
  const unlink = useAccountChange({
    run: () => call('unlinkIdentity', { params: { provider } }),
    done: texts.nameUnlinked({ name }),
    failed: texts.nameCouldNotBeUnlinked({ name }),
  })
  const label = (
    <span className="flex items-center gap-2">
      <ProviderMark provider={provider} />
      {name}
    </span>
  )
  if (linked) {
    return (
      <SettingRow
        label={label}
        detail={
          <>
            {texts.emailLinkedSinceLinked({
              email: linked.email,
              linkedAt: <Time at={linked.linkedAt} show="date" />,
              zone: <ZoneName />,
            })}
            {reason !== null && <p>{reason}</p>}
          </>
        }
      >
        {reason === null && (
          <Button busy={unlink.isPending} aria-label={texts.unlinkName({ name })} onClick={() => unlink.mutate()}>
            {unlink.isPending ? texts.unlinking : texts.unlink}
          </Button>
        )}
      </SettingRow>
    )
  }
  if (!config?.signIn[provider]) return <SettingRow label={label} detail={texts.notConfiguredByTheOperator} />
  return (
    <SettingRow label={label} detail={texts.notLinked}>
      <LinkProviderButton provider={provider} />
    </SettingRow>
  )
}

/** The way to a provider leaves this page: what the server wants confirmed is asked before. */
function LinkProviderButton({ provider }: { provider: IdentityProvider }) {
  const confirmed = useConfirmed()
  const name = providerNames[provider]
  const leave = useMutation({
    mutationFn: () => confirmed(() => call('checkConfirmed')),
    onSuccess: () =>
      window.location.assign(
        providerHref(provider, { purpose: 'link', returnTo: `${paths.settings}?linked=${provider}` }),
      ),
    onError: (error) => toastFailure(error, texts.nameCouldNotBeLinked({ name })),
  })
  return (
    <Button busy={leave.isPending} onClick={() => leave.mutate()}>
      {leave.isPending ? texts.linkingName({ name }) : texts.linkName({ name })}
    </Button>
  )
}

function WalletsRow({ account: { wallets } }: { account: AccountProfile }) {
  const count = wallets.length === 1 ? texts.oneWalletCanSignIn : texts.countWalletsCanSignIn({ count: wallets.length })
  return (
    <SettingRow
      label={texts.wallets}
      detail={wallets.length === 0 ? texts.noneLinked : texts.countLinkAndUnlinkThem({ count })}
    />
  )
}
