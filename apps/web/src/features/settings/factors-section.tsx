import { useQuery } from '@tanstack/react-query'
import { type AccountFactors, type Passkey, recoveryCodeCount } from '@tocsin/protocol'

import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { AddPasskeyButton, AddTotpButton } from '../account/add-factor-buttons.tsx'
import { RecoveryCodesDialog } from '../account/recovery-codes-dialog.tsx'
import { formatFailure, toastFailure } from '../account/toast-failure.ts'
import { QueryContent } from './query-content.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { useAccountChange, useAccountRefresh } from './use-account-change.ts'

/** Passkeys, authenticator app and recovery codes of the account. */
export function FactorsSection() {
  const factors = useQuery({ ...queries.factors, staleTime: 0 })
  return (
    <Panel
      title="Two-factor authentication"
      flush
      actions={factors.data && <StateBadge factors={factors.data} />}
      footer="A second factor protects your account even if your password and your mailbox are stolen."
    >
      <QueryContent query={factors} what="your second factors" rows={3}>
        {(found) => <Rows factors={found} />}
      </QueryContent>
    </Panel>
  )
}

const hasFactor = ({ totp, passkeys }: AccountFactors) => totp !== null || passkeys.length > 0

function StateBadge({ factors }: { factors: AccountFactors }) {
  if (hasFactor(factors)) return <Badge tone="ok">On</Badge>
  return factors.isRequired ? <Badge tone="medium">Required</Badge> : <Badge plain>Off</Badge>
}

function Rows({ factors }: { factors: AccountFactors }) {
  const refresh = useAccountRefresh()
  const onDone = () => void refresh()
  return (
    <SettingRows>
      {factors.resetDueAt !== null && <ResetRow dueAt={factors.resetDueAt} />}
      {factors.passkeys.map((passkey) => (
        <PasskeyRow key={passkey.id} passkey={passkey} />
      ))}
      <SettingRow
        label={factors.passkeys.length === 0 ? 'Passkeys' : 'Another passkey'}
        detail="Log in with your fingerprint, face or PIN, without a password."
      >
        <AddPasskeyButton onDone={onDone} />
      </SettingRow>
      <TotpRow totp={factors.totp} onDone={onDone} />
      {hasFactor(factors) && <RecoveryCodesRow left={factors.recoveryCodesLeft} />}
    </SettingRows>
  )
}

function ResetRow({ dueAt }: { dueAt: string }) {
  const cancel = useAccountChange({
    run: () => call('cancelOwnFactorReset'),
    done: 'Factor Removal Cancelled',
    failed: 'The removal could not be cancelled. Please try again.',
  })
  return (
    <SettingRow
      label={
        <span className="flex flex-wrap items-center gap-2">
          Removal requested <Badge tone="critical">Due</Badge>
        </span>
      }
      detail={
        <>
          All second factors are removed on <Time at={dueAt} show="date" /> <ZoneName /> at the earliest, because they
          were reported lost.
        </>
      }
    >
      <Button variant="primary" busy={cancel.isPending} onClick={() => cancel.mutate()}>
        Cancel the removal
      </Button>
    </SettingRow>
  )
}

export function LastUsed({ at }: { at: string | null }) {
  if (at === null) return 'Never used.'
  return (
    <span className="whitespace-nowrap">
      Last used: <Time at={at} show="relative" />.
    </span>
  )
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { id, name, backedUp, createdAt, lastUsedAt } = passkey
  const [isRenaming, setIsRenaming] = useState(false)
  const remove = useAccountChange({
    run: () => call('removePasskey', { params: { id } }),
    done: 'Passkey Removed',
    failed: 'The passkey could not be removed. Please try again.',
  })
  return (
    <SettingRow
      label={<span className="wrap-anywhere">{name}</span>}
      detail={
        <>
          Passkey, added <Time at={createdAt} show="date" /> <ZoneName />. {backedUp ? 'Synced. ' : ''}
          <LastUsed at={lastUsedAt} />
        </>
      }
    >
      <Button aria-label={`Rename ${name}`} onClick={() => setIsRenaming(true)}>
        Rename
      </Button>
      <Button busy={remove.isPending} aria-label={`Remove ${name}`} onClick={() => remove.mutate()}>
        {remove.isPending ? 'Removing…' : 'Remove'}
      </Button>
      {isRenaming && <RenameDialog passkey={passkey} onClose={() => setIsRenaming(false)} />}
    </SettingRow>
  )
}

function RenameDialog({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose: () => void }) {
  const refresh = useAccountRefresh()
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { name } })

  async function rename(form: { name: string }) {
    try {
      await call('renamePasskey', { params: { id }, body: { name: form.name } })
      onClose()
      await refresh()
    } catch (error) {
      const message = formatFailure(error, 'The passkey could not be renamed. Please try again.')
      setError('name', { message }, { shouldFocus: true })
    }
  }

  return (
    <FormDialog
      title="Rename passkey"
      description={`The name of “${name}” is shown only to you.`}
      submitLabels={{ send: 'Rename', sending: 'Saving…' }}
      isSending={formState.isSubmitting}
      onSubmit={handleSubmit(rename)}
      onClose={onClose}
    >
      <TextField
        {...register('name', { validate: (entered) => entered.trim() !== '' || 'Please enter a name' })}
        id="passkey-new-name"
        label="Name"
        autoComplete="off"
        maxLength={60}
        error={formState.errors.name?.message}
      />
    </FormDialog>
  )
}

function TotpRow({ totp, onDone }: { totp: AccountFactors['totp']; onDone: () => void }) {
  const remove = useAccountChange({
    run: () => call('removeTotp'),
    done: 'Authenticator App Removed',
    failed: 'The authenticator app could not be removed. Please try again.',
  })
  if (totp === null) {
    return (
      <SettingRow label="Authenticator app" detail="An app on your phone shows a new code every 30 seconds.">
        <AddTotpButton onDone={onDone} />
      </SettingRow>
    )
  }
  return (
    <SettingRow
      label="Authenticator app"
      detail={
        <>
          Added <Time at={totp.addedAt} show="date" /> <ZoneName />. <LastUsed at={totp.lastUsedAt} />
        </>
      }
    >
      <Button busy={remove.isPending} aria-label="Remove the authenticator app" onClick={() => remove.mutate()}>
        {remove.isPending ? 'Removing…' : 'Remove'}
      </Button>
    </SettingRow>
  )
}

function RecoveryCodesRow({ left }: { left: number }) {
  const withReauthentication = useReauthentication()
  const refresh = useAccountRefresh()
  const [codes, setCodes] = useState<string[] | null>(null)
  const [isSending, setIsSending] = useState(false)

  async function replace() {
    setIsSending(true)
    try {
      setCodes((await withReauthentication(() => call('replaceRecoveryCodes'))).recoveryCodes)
      await refresh()
    } catch (error) {
      toastFailure(error, 'The recovery codes could not be replaced. Please try again.')
    }
    setIsSending(false)
  }

  return (
    <SettingRow
      label="Recovery codes"
      detail={`${left} of ${recoveryCodeCount} left. New codes replace all former ones.`}
    >
      <Button busy={isSending} onClick={replace}>
        {isSending ? 'Creating…' : 'New recovery codes'}
      </Button>
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </SettingRow>
  )
}
