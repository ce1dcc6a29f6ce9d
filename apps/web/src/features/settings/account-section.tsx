import { useQuery } from '@tanstack/react-query'
import type { AccountProfile } from '@tocsin/protocol'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { EmailDialog } from './email-dialog.tsx'
import { NameDialog } from './name-dialog.tsx'
import { ReadState } from './read-state.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { useAccountChange } from './use-account-change.ts'

/** Name, email and type of the account. */
export function AccountSection() {
  const account = useQuery(queries.account)
  return (
    <Panel title="Profile" flush>
      <ReadState query={account} what="your account" rows={3}>
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
        <SettingRow label="Name" detail={account.name}>
          <Button aria-label="Change name" onClick={() => setOpen('name')}>
            Change
          </Button>
        </SettingRow>
        <SettingRow
          label="Email"
          detail={account.email ?? 'None yet. Add one to get email and to log in with a password.'}
        >
          {account.email !== null && !account.emailVerified && <Badge tone="medium">Not verified</Badge>}
          <Button
            aria-label={account.email === null ? 'Add an email' : 'Change email'}
            onClick={() => setOpen('email')}
          >
            {account.email === null ? 'Add' : 'Change'}
          </Button>
        </SettingRow>
        {account.pendingEmail !== null && <PendingEmail email={account.pendingEmail} />}
        <SettingRow
          label="Account type"
          detail={
            <>
              {account.isAdmin ? 'Administrator' : 'Regular User'}, created <Time at={account.createdAt} show="date" />{' '}
              <ZoneName />
            </>
          }
        />
      </SettingRows>
      {open === 'name' && <NameDialog name={account.name} onClose={close} />}
      {open === 'email' && <EmailDialog account={account} onClose={close} />}
    </>
  )
}

/** A new email address that is not verified yet. */
function PendingEmail({ email }: { email: string }) {
  const resend = useAccountChange({
    run: () => call('changeEmail', { body: { email } }),
    done: 'Check your email',
    failed: 'The link could not be sent again. Please try again.',
  })
  return (
    <SettingRow
      label={
        <span className="flex flex-wrap items-center gap-2">
          New email
          <Badge tone="medium">Pending verification</Badge>
        </span>
      }
      detail={`We sent a link to ${email}. Open it to confirm the new address. To cancel, enter another address.`}
    >
      <Button busy={resend.isPending} onClick={() => resend.mutate()}>
        {resend.isPending ? 'Sending…' : 'Resend'}
      </Button>
    </SettingRow>
  )
}
