import { useQuery } from '@tanstack/react-query'
import type { AccountProfile } from '@tocsin/protocol'
import { useState } from 'react'
import { call } from '../../api.ts'
import { queries } from '../../queries.ts'
import { settingsTexts } from '../../texts/settings.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { EmailDialog } from './email-dialog.tsx'
import { NameDialog } from './name-dialog.tsx'
import { ReadState } from './read-state.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { useAccountChange } from './use-account-change.ts'

const texts = settingsTexts.accountSection

/** Who the account says it is: name and e-mail. */
export function AccountSection() {
  const account = useQuery(queries.account)
  return (
    <Panel title={texts.profile} flush>
      <ReadState query={account} what={texts.yourAccount} rows={3}>
        {(profile) => <AccountRows account={profile} />}
      </ReadState>
    </Panel>
  )
}

function AccountRows({ account }: { account: AccountProfile }) {
  const [open, setOpen] = useState<'name' | 'email' | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <SettingRows>
        <SettingRow label={texts.name} detail={account.name}>
          <Button aria-label={texts.changeName} onClick={() => setOpen('name')}>
            {texts.change}
          </Button>
        </SettingRow>
        <SettingRow label={texts.email} detail={account.email ?? texts.noneYetAddOne}>
          {account.email !== null && !account.emailVerified && <Badge tone="medium">{texts.notVerified}</Badge>}
          <Button
            aria-label={account.email === null ? texts.addAnEmail : texts.changeEmail}
            onClick={() => setOpen('email')}
          >
            {account.email === null ? texts.add : texts.change}
          </Button>
        </SettingRow>
        {account.pendingEmail !== null && <PendingEmail email={account.pendingEmail} />}
        <SettingRow
          label={texts.accountType}
          detail={texts.administratorCreated({
            isAdmin: account.isAdmin,
            createdAt: <Time at={account.createdAt} show="date" />,
            zone: <ZoneName />,
          })}
        />
      </SettingRows>
      {open === 'name' && <NameDialog name={account.name} onClose={close} />}
      {open === 'email' && <EmailDialog account={account} onClose={close} />}
    </>
  )
}

/** A new address that waits for its link to be opened. */
function PendingEmail({ email }: { email: string }) {
  const resend = useAccountChange({
    run: () => call('changeEmail', { body: { email } }),
    done: texts.checkYourEmail,
    failed: texts.linkCouldNotBeSent,
  })
  return (
    <SettingRow
      label={
        <span className="flex flex-wrap items-center gap-2">
          {texts.newEmail}
          <Badge tone="medium">{texts.waitingForItsLink}</Badge>
        </span>
      }
      detail={texts.weSentALink({ email })}
    >
      <Button busy={resend.isPending} onClick={() => resend.mutate()}>
        {resend.isPending ? texts.sending : texts.resend}
      </Button>
    </SettingRow>
  )
}
