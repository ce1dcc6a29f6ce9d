import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import type { AccountFactors, AccountProfile, FactorMethod, IdentityProvider, PublicConfig } from '@tocsin/protocol'
import { Wallet } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call, getErrorMessage } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { HrefLink } from '../../ui/href-link.tsx'
import { shortenHex } from '../../ui/short-hex.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { WalletTask } from '../../wallet/answer-challenge.ts'
import { WalletChallenge } from '../../wallet/wallet-challenge.tsx'
import { CurrentPasswordField } from './account-fields.tsx'
import { type ConfirmForm, confirmForm } from './credentials.ts'
import { FactorForm } from './factor-form.tsx'
import { confirmWithPasskey } from './passkeys.ts'
import { ProviderMark } from './provider-mark.tsx'
import { formatProviderHref, providerNames } from './provider-return.ts'
import { UsernameField } from './username-field.tsx'

interface ReauthenticationDialogProps {
  onConfirmed: () => void
  onCancel: () => void
}

/**
 * Dialog for reauthentication. If the account has a passkey or an authenticator app, it asks for
 * the second factor. Otherwise it offers the sign-in methods of the account that are available.
 */
export function ReauthenticationDialog({ onConfirmed, onCancel }: ReauthenticationDialogProps) {
  const account = useQuery(queries.account)
  const config = useQuery(queries.config)
  const factors = useQuery({ ...queries.factors, staleTime: 0 })
  const accountQueries = [account, config, factors]
  const failedQuery = accountQueries.find(({ isLoadingError }) => isLoadingError)
  const [usesWallet, setUsesWallet] = useState(false)
  return (
    <Dialog
      onOpenChange={onCancel}
      title="Confirm that it is you"
      description="This protects your account if someone else uses your open session. The confirmation is valid for ten minutes."
    >
      {failedQuery ? (
        <div role="alert" className="flex flex-wrap items-center gap-3 text-base">
          {getErrorMessage(failedQuery.error, 'The server did not respond.')}
          <Button onClick={() => void Promise.all(accountQueries.map(({ refetch }) => refetch()))}>Try again</Button>
        </div>
      ) : !account.data || !config.data || !factors.data ? (
        <div role="status" aria-label="Loading" className="h-31">
          <Skeleton className="h-full" />
        </div>
      ) : factors.data.totp || factors.data.passkeys.length > 0 ? (
        <ConfirmFactor factors={factors.data} onConfirmed={onConfirmed} />
      ) : usesWallet ? (
        <ConfirmWithWallet account={account.data} onConfirmed={onConfirmed} onBack={() => setUsesWallet(false)} />
      ) : (
        <ConfirmMethods
          account={account.data}
          signIn={config.data.signIn}
          onConfirmed={onConfirmed}
          onWallet={() => setUsesWallet(true)}
        />
      )}
    </Dialog>
  )
}

/**
 * Asks for a second factor of the account. The password is not enough for an account that has a
 * second factor.
 */
function ConfirmFactor({ factors, onConfirmed }: { factors: AccountFactors; onConfirmed: () => void }) {
  const methods: FactorMethod[] = [
    ...(factors.passkeys.length > 0 ? (['passkey'] as const) : []),
    ...(factors.totp ? (['totp'] as const) : []),
    ...(factors.recoveryCodesLeft > 0 ? (['recovery-code'] as const) : []),
  ]
  return (
    <FactorForm
      methods={methods}
      submitLabels={{ send: 'Confirm', sending: 'Checking…' }}
      onCode={async (code) => {
        await call('confirmFactor', { body: { code } })
        onConfirmed()
      }}
      onPasskey={async () => {
        await confirmWithPasskey()
        onConfirmed()
      }}
    />
  )
}

interface ConfirmMethodsProps {
  account: AccountProfile
  /** The sign-in methods that the operator has configured. */
  signIn: PublicConfig['signIn']
  onConfirmed: () => void
  onWallet: () => void
}

function ConfirmMethods({ account, signIn, onConfirmed, onWallet }: ConfirmMethodsProps) {
  const { pathname, searchStr } = useLocation()
  const providers = account.identities.filter(({ provider }) => signIn[provider])
  if (!account.hasPassword && account.wallets.length === 0 && providers.length === 0) {
    return <NoMethod email={account.email} />
  }
  return (
    <div className="grid gap-3">
      {account.hasPassword && (
        <ConfirmPasswordForm username={account.email ?? account.name} onConfirmed={onConfirmed} />
      )}
      {account.wallets.length > 0 && (
        <Button size="lg" onClick={onWallet}>
          <Wallet aria-hidden size={18} strokeWidth={2} />
          Confirm with a wallet
        </Button>
      )}
      {providers.map(({ provider }) => (
        <Button key={provider} asChild size="lg">
          <a
            href={formatProviderHref(provider, {
              purpose: 'confirm',
              returnTo: formatReturnPath(pathname, searchStr, provider),
            })}
          >
            <ProviderMark provider={provider} />
            Confirm with {providerNames[provider]}
          </a>
        </Button>
      ))}
    </div>
  )
}

/** Maximum length of a return path that the server accepts. */
const maxReturnPathLength = 500

/**
 * Returns the path to return to after the confirmation: the current page with its query. Leaves the
 * query out if the path would be too long for the server.
 */
function formatReturnPath(pathname: string, searchText: string, provider: IdentityProvider): string {
  const query = new URLSearchParams(searchText)
  query.set('confirmed', provider)
  // The server accepts a space in the query only as %20.
  const path = `${pathname}?${query.toString().replaceAll('+', '%20')}`
  return path.length <= maxReturnPathLength ? path : `${pathname}?confirmed=${provider}`
}

/**
 * Shown if the account can be confirmed only with a provider that the operator no longer offers.
 * Offers to email a link for setting a password, with which the user can confirm.
 */
function NoMethod({ email }: { email: string | null }) {
  const request = useMutation({
    mutationFn: (to: string) => call('forgotPassword', { body: { email: to } }),
  })
  const reason = 'Your account has no password, and its sign-in provider is no longer available here.'
  if (email === null) {
    return (
      <p className="text-base">
        {reason}{' '}
        <HrefLink href={paths.contactSupport} className="link">
          Contact support
        </HrefLink>
      </p>
    )
  }
  return (
    <div className="grid gap-3">
      <p className="text-base">{reason} Set a password by email, then log in with it. This ends all your sessions.</p>
      <Button size="lg" busy={request.isPending} onClick={() => request.mutate(email)}>
        {request.isPending ? 'Sending…' : 'Email a link to set a password'}
      </Button>
      <p role="status" className="text-base">
        {request.isSuccess && `We sent a link to ${email}. It works once, within one hour.`}
        {request.error && getErrorMessage(request.error, 'The link could not be sent. Please try again.')}
      </p>
    </div>
  )
}

interface ConfirmWithWalletProps {
  account: AccountProfile
  onConfirmed: () => void
  onBack: () => void
}

function ConfirmWithWallet({ account, onConfirmed, onBack }: ConfirmWithWalletProps) {
  const linkedAddresses = new Set(account.wallets.map(({ address }) => address.toLowerCase()))
  const task: WalletTask = {
    checkAddress: (address) =>
      linkedAddresses.has(address.toLowerCase())
        ? null
        : `${shortenHex(address)} is not linked to your account. Choose a linked one.`,
    challenge: (walletAddress) => call('createChallenge', { body: { walletAddress, purpose: 'confirm' } }),
    async answer(signedChallenge) {
      await call('confirmWallet', { body: signedChallenge })
      onConfirmed()
    },
  }
  return (
    <>
      <WalletChallenge task={task} hint="Sign with a wallet that is linked to your account." />
      <Button variant="ghost" onClick={onBack} className="mt-2">
        Use another method
      </Button>
    </>
  )
}

interface ConfirmPasswordFormProps {
  /** Tells password managers which account the password belongs to. */
  username: string
  onConfirmed: () => void
}

function ConfirmPasswordForm({ username, onConfirmed }: ConfirmPasswordFormProps) {
  const { register, handleSubmit, setError, formState } = useForm<ConfirmForm>({
    resolver: zodResolver(confirmForm),
    defaultValues: { password: '' },
  })
  const { errors, isSubmitting } = formState

  async function confirm({ password }: ConfirmForm) {
    try {
      await call('confirm', { body: { password } })
      onConfirmed()
    } catch (error) {
      const message = getErrorMessage(error, 'Your password could not be checked. Please try again.')
      setError('password', { message }, { shouldFocus: true })
    }
  }

  return (
    <form method="post" noValidate onSubmit={handleSubmit(confirm)} className="grid gap-5">
      <UsernameField value={username} />
      <CurrentPasswordField {...register('password')} id="confirm-current-password" error={errors.password} />
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Checking…' : 'Confirm'}
      </Button>
    </form>
  )
}
