import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery } from '@tanstack/react-query'
import type { AccountProfile } from '@tocsin/protocol'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call, getErrorMessage } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { type EmailForm, emailForm, type NameForm, nameForm } from '../account/credentials.ts'
import { formatFailure } from '../account/toast-failure.ts'
import { QueryContent } from './query-content.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { useAccountChange, useAccountRefresh } from './use-account-change.ts'

/** Name, email and type of the account. */
export function AccountSection() {
  const account = useQuery(queries.account)
  return (
    <Panel title="Profile" flush>
      <QueryContent query={account} what="your account" rows={3}>
        {(profile) => <AccountRows account={profile} />}
      </QueryContent>
    </Panel>
  )
}

function AccountRows({ account }: { account: AccountProfile }) {
  const [openDialog, setOpenDialog] = useState<'name' | 'email' | null>(null)
  const close = () => setOpenDialog(null)
  return (
    <>
      <SettingRows>
        <SettingRow label="Name" detail={account.name}>
          <Button aria-label="Change name" onClick={() => setOpenDialog('name')}>
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
            onClick={() => setOpenDialog('email')}
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
      {openDialog === 'name' && <NameDialog name={account.name} onClose={close} />}
      {openDialog === 'email' && <EmailDialog account={account} onClose={close} />}
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

function NameDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const refresh = useAccountRefresh()
  const { register, handleSubmit, setError, formState } = useForm<NameForm>({
    resolver: zodResolver(nameForm),
    defaultValues: { name },
  })
  const { errors, isSubmitting } = formState

  async function save(form: NameForm) {
    try {
      const { message } = await call('changeName', { body: form })
      toast({ title: 'Name Changed', description: message, variant: 'success' })
      onClose()
      await refresh()
    } catch (error) {
      setError('name', { message: getErrorMessage(error, 'The name could not be changed. Please try again.') })
    }
  }

  return (
    <FormDialog
      title="Change name"
      description="Administrators see your name; other users do not."
      submitLabels={{ send: 'Save', sending: 'Saving…' }}
      isSending={isSubmitting}
      onSubmit={handleSubmit(save)}
      onClose={onClose}
    >
      <TextField
        {...register('name')}
        id="account-name"
        label="Name"
        autoComplete="name"
        maxLength={100}
        error={errors.name?.message}
      />
    </FormDialog>
  )
}

/**
 * Changes the email address. The change takes effect when the user opens the emailed link. The
 * server does not disclose whether another account uses the address.
 */
function EmailDialog({ account, onClose }: { account: AccountProfile; onClose: () => void }) {
  const withReauthentication = useReauthentication()
  const refresh = useAccountRefresh()
  const { register, handleSubmit, setError, formState } = useForm<EmailForm>({
    resolver: zodResolver(emailForm),
    defaultValues: { email: '' },
  })
  const { errors, isSubmitting } = formState

  async function save(form: EmailForm) {
    try {
      const { message } = await withReauthentication(() => call('changeEmail', { body: form }))
      toast({ title: 'Check your email', description: message, variant: 'success' })
      onClose()
      await refresh()
    } catch (error) {
      setError('email', { message: formatFailure(error, 'The email could not be changed. Please try again.') })
    }
  }

  return (
    <FormDialog
      title={account.email === null ? 'Add an email' : 'Change email'}
      description={
        account.email === null
          ? 'We email a link to this address. Open it to confirm the address.'
          : 'We email a link to the new address and notify the current one. The change takes effect when you open the link.'
      }
      submitLabels={{ send: 'Send link', sending: 'Sending…' }}
      isSending={isSubmitting}
      onSubmit={handleSubmit(save)}
      onClose={onClose}
    >
      <TextField
        {...register('email')}
        id="new-email"
        label="New email"
        type="email"
        autoComplete="email"
        hint={account.email === null ? undefined : `Current: ${account.email}`}
        error={errors.email?.message}
      />
    </FormDialog>
  )
}
