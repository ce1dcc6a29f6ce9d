import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type AccountProfile, type IdentityProvider, identityProviders } from '@tocsin/protocol'
import { useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { ApiError, call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { CurrentPasswordField } from '../account/account-fields.tsx'
import { adminMinLength, createNewPasswordForm, type NewPasswordForm, signUpMinLength } from '../account/credentials.ts'
import { PasswordRules } from '../account/password-rules.tsx'
import { ProviderMark } from '../account/provider-mark.tsx'
import { formatProviderHref, providerNames } from '../account/provider-return.ts'
import { formatFailure, toastFailure } from '../account/toast-failure.ts'
import { UsernameField } from '../account/username-field.tsx'
import { QueryContent } from './query-content.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { useLastSignInMethodReason } from './sign-in-methods.ts'
import { useAccountChange, useAccountRefresh } from './use-account-change.ts'

/** The sign-in methods of the account. Wallets are managed in their own section. */
export function SecuritySection() {
  const account = useQuery(queries.account)
  return (
    <Panel title="Security" flush detail="Sign-in methods">
      <QueryContent query={account} what="your sign-in methods" rows={4}>
        {(profile) => (
          <SettingRows>
            <PasswordRow account={profile} />
            {identityProviders.map((provider) => (
              <ProviderRow key={provider} account={profile} provider={provider} />
            ))}
            <WalletsRow account={profile} />
          </SettingRows>
        )}
      </QueryContent>
    </Panel>
  )
}

function PasswordRow({ account }: { account: AccountProfile }) {
  const [isOpen, setIsOpen] = useState(false)
  const { hasPassword, email, emailVerified } = account
  if (!hasPassword && (email === null || !emailVerified)) {
    return <SettingRow label="Password" detail="Not set. Verify an email address first; you need both to log in." />
  }
  return (
    <SettingRow label="Password" detail={hasPassword ? 'Set. You can log in with it and your email.' : 'Not set.'}>
      <Button aria-label={hasPassword ? 'Change password' : 'Set a password'} onClick={() => setIsOpen(true)}>
        {hasPassword ? 'Change' : 'Set'}
      </Button>
      {isOpen && <PasswordDialog account={account} onClose={() => setIsOpen(false)} />}
    </SettingRow>
  )
}

/**
 * The row of a sign-in provider. Renders nothing if the provider is neither linked nor configured
 * by the operator.
 */
function ProviderRow({ account, provider }: { account: AccountProfile; provider: IdentityProvider }) {
  const { data: config } = useQuery(queries.config)
  const name = providerNames[provider]
  const linkedIdentity = account.identities.find((identity) => identity.provider === provider)
  const reason = useLastSignInMethodReason(account, { provider })
  const unlink = useAccountChange({
    run: () => call('unlinkIdentity', { params: { provider } }),
    done: `${name} Unlinked`,
    failed: `${name} could not be unlinked. Please try again.`,
  })
  const label = (
    <span className="flex items-center gap-2">
      <ProviderMark provider={provider} />
      {name}
    </span>
  )
  if (linkedIdentity) {
    return (
      <SettingRow
        label={label}
        detail={
          <>
            {linkedIdentity.email ?? 'Linked'}, since <Time at={linkedIdentity.linkedAt} show="date" /> <ZoneName />
            {reason !== null && <p>{reason}</p>}
          </>
        }
      >
        {reason === null && (
          <Button busy={unlink.isPending} aria-label={`Unlink ${name}`} onClick={() => unlink.mutate()}>
            {unlink.isPending ? 'Unlinking…' : 'Unlink'}
          </Button>
        )}
      </SettingRow>
    )
  }
  if (!config?.signIn[provider]) return null
  return (
    <SettingRow label={label} detail="Not linked.">
      <LinkProviderButton provider={provider} />
    </SettingRow>
  )
}

/**
 * Requests a required reauthentication before it redirects to the provider, because the dialog can
 * only be shown on this page.
 */
function LinkProviderButton({ provider }: { provider: IdentityProvider }) {
  const withReauthentication = useReauthentication()
  const name = providerNames[provider]
  const link = useMutation({
    mutationFn: () => withReauthentication(() => call('checkConfirmed')),
    onSuccess: () =>
      window.location.assign(
        formatProviderHref(provider, { purpose: 'link', returnTo: `${paths.settings}?linked=${provider}` }),
      ),
    onError: (error) => toastFailure(error, `${name} could not be linked. Please try again.`),
  })
  return (
    <Button busy={link.isPending} onClick={() => link.mutate()}>
      {link.isPending ? `Linking ${name}…` : `Link ${name}`}
    </Button>
  )
}

function WalletsRow({ account: { wallets } }: { account: AccountProfile }) {
  const count = wallets.length === 1 ? 'One wallet can sign in' : `${wallets.length} wallets can sign in`
  return (
    <SettingRow
      label="Wallets"
      detail={wallets.length === 0 ? 'None linked.' : `${count}. Link and unlink them under Wallet.`}
    />
  )
}

function PasswordDialog({ account, onClose }: { account: AccountProfile; onClose: () => void }) {
  const withReauthentication = useReauthentication()
  const refresh = useAccountRefresh()
  const { hasPassword, isAdmin } = account
  const minLength = isAdmin ? adminMinLength : signUpMinLength
  const { register, handleSubmit, setError, control, formState } = useForm<NewPasswordForm>({
    resolver: zodResolver(createNewPasswordForm(minLength)),
    defaultValues: { ...(hasPassword ? { currentPassword: '' } : {}), password: '', confirmPassword: '' },
  })
  const { errors, isSubmitting } = formState
  const [password, confirmPassword] = useWatch({ control, name: ['password', 'confirmPassword'] })

  async function save(form: NewPasswordForm) {
    const currentPassword = hasPassword ? { currentPassword: form.currentPassword ?? '' } : {}
    try {
      const body = { newPassword: form.password, ...currentPassword }
      const { message } = await withReauthentication(() => call('changePassword', { body }))
      toast({
        title: hasPassword ? 'Password Changed' : 'Password Set',
        description: message,
        variant: 'success',
      })
      onClose()
      await refresh()
    } catch (error) {
      const message = formatFailure(error, 'The password could not be changed. Please try again.')
      const isWrongPassword = error instanceof ApiError && error.code === 'invalid_credentials'
      setError(isWrongPassword ? 'currentPassword' : 'password', { message }, { shouldFocus: true })
    }
  }

  return (
    <FormDialog
      title={hasPassword ? 'Change password' : 'Set a password'}
      description="This ends all your other sessions, and we notify you by email."
      submitLabels={{ send: hasPassword ? 'Change password' : 'Set password', sending: 'Saving…' }}
      isSending={isSubmitting}
      onSubmit={handleSubmit(save)}
      onClose={onClose}
    >
      <UsernameField value={account.email ?? account.name} />
      {hasPassword && (
        <CurrentPasswordField
          {...register('currentPassword')}
          id="change-current-password"
          label="Current password"
          error={errors.currentPassword}
        />
      )}
      <TextField
        {...register('password')}
        id="change-new-password"
        label="New password"
        type="password"
        autoComplete="new-password"
        hint={<PasswordRules password={password} confirmPassword={confirmPassword} minLength={minLength} />}
        error={errors.password?.message}
      />
      <TextField
        {...register('confirmPassword')}
        id="change-confirm-password"
        label="Confirm new password"
        type="password"
        autoComplete="new-password"
        error={errors.confirmPassword?.message}
      />
    </FormDialog>
  )
}
