import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import type { PublicConfig } from '@tocsin/protocol'
import { Inbox, LogOut, Mail } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call, getErrorMessage } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { HrefLink } from '../../ui/href-link.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toast.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { type AuthTab, formatAuthHref, parseNextPath, readAuthSearchParams } from './auth-search-params.ts'
import { ForgotPasswordForm } from './forgot-password-form.tsx'
import { LogInForm } from './log-in-form.tsx'
import { Notice } from './notice.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { ProviderFailure } from './provider-failure.tsx'
import { useReturnParameter } from './provider-return.ts'
import { SecondFactorStep } from './second-factor-step.tsx'
import { SignUpForm } from './sign-up-form.tsx'

/** Sign-in and sign-up. Tab and mode are in the URL, so that links and the Back button work. */
export function AuthPage() {
  const { isAuthenticated, awaitedFactor, hasEnded } = useAuth()
  const providerError = useReturnParameter('provider_error')
  const { tab, mode, next } = readAuthSearchParams(useSearch({ strict: false }))
  const { data: config, isPending } = useQuery(queries.config)
  const [unverifiedEmail, setUnverifiedEmail] = useState<string | null>(null)

  // If a signed-in user returns with a provider error, show it in the settings, where the user can
  // try again.
  if (isAuthenticated) {
    return <Redirect href={providerError === null ? parseNextPath(next) : getSettingsHref(providerError)} />
  }
  if (awaitedFactor) {
    return (
      <AuthLayout>
        <SecondFactorStep awaited={awaitedFactor} />
      </AuthLayout>
    )
  }
  return (
    <AuthLayout>
      {hasEnded && providerError === null && unverifiedEmail === null && <SessionEnded />}
      {providerError !== null && unverifiedEmail === null && <ProviderFailure code={providerError} />}
      <div role="status">
        {unverifiedEmail !== null && mode === undefined && (
          <div className="mb-10">
            <VerificationBanner email={unverifiedEmail} onDismiss={() => setUnverifiedEmail(null)} />
          </div>
        )}
      </div>
      {/* The available sign-in methods determine the height of the form. The skeleton avoids a
          layout shift. */}
      {isPending ? (
        <FormSkeleton form={mode ?? tab} />
      ) : (
        <Forms signIn={config?.signIn ?? null} email={unverifiedEmail ?? ''} onUnverified={setUnverifiedEmail} />
      )}
      {/* The hint has zero height, so that the form does not move when the configuration
          arrives. */}
      <div className="flex h-0 flex-col">{config?.demo && <DemoMailHint />}</div>
    </AuthLayout>
  )
}

interface FormsProps {
  /**
   * Available sign-in methods. Null if they are unknown: then only email and password are offered.
   */
  signIn: PublicConfig['signIn'] | null
  email: string
  onUnverified: (email: string) => void
}

function Forms({ signIn, email, onUnverified }: FormsProps) {
  const router = useRouter()
  const { tab, mode, next } = readAuthSearchParams(useSearch({ strict: false }))
  const returnTo = parseNextPath(next)
  const openTab = (nextTab: AuthTab) => router.history.push(formatAuthHref({ tab: nextTab, next }))

  if (mode === 'forgot-password') return <ForgotPasswordForm logInHref={formatAuthHref({ next })} />
  return (
    <>
      <h1 className="sr-only">{tab === 'log-in' ? 'Log in to Tocsin' : 'Create your Tocsin account'}</h1>
      <Tabs
        label="Log in or sign up"
        value={tab}
        onChange={openTab}
        panelClassName="pt-6"
        tabs={[
          {
            value: 'log-in',
            label: 'Log in',
            panel: (
              <>
                {signIn && <ProviderButtons signIn={signIn} returnTo={returnTo} />}
                <LogInForm
                  email={email}
                  forgotPasswordHref={formatAuthHref({ mode: 'forgot-password', next })}
                  onVerificationRequired={onUnverified}
                />
              </>
            ),
          },
          {
            value: 'sign-up',
            label: 'Sign up',
            panel: (
              <>
                {signIn && <ProviderButtons signIn={signIn} returnTo={returnTo} />}
                <SignUpForm
                  onRegistered={(registered) => {
                    onUnverified(registered)
                    // The user may have left this page before the response arrived.
                    if (router.state.location.pathname === paths.auth) openTab('log-in')
                  }}
                />
              </>
            ),
          },
        ]}
      />
      <Terms />
    </>
  )
}

function Terms() {
  const linkClasses = 'underline underline-offset-3 hover:text-1'
  return (
    <p className="mt-5 text-hint text-2">
      By continuing you accept the{' '}
      <HrefLink href={paths.termsOfService} className={linkClasses}>
        Terms of Service
      </HrefLink>{' '}
      and the{' '}
      <HrefLink href={paths.privacyPolicy} className={linkClasses}>
        Privacy Policy
      </HrefLink>
      .
    </p>
  )
}

function SessionEnded() {
  return (
    <div className="mb-8">
      <Notice tone="medium" icon={LogOut} title="You were signed out">
        Your session has expired or was ended on another device. Log in to continue where you were.
      </Notice>
    </div>
  )
}

function getSettingsHref(providerError: string): string {
  return `${paths.settings}?${new URLSearchParams({ provider_error: providerError })}`
}

function Redirect({ href }: { href: string }) {
  const router = useRouter()
  useEffect(() => router.history.replace(href), [router, href])
  return null
}

/** Link to the demo's outbox. The demo does not send email. */
function DemoMailHint() {
  return (
    <p className="mt-6 flex items-center gap-2 text-hint text-2">
      <Inbox aria-hidden size={16} strokeWidth={2.25} className="shrink-0" />
      <Link to={paths.outbox} className="touch-target underline underline-offset-3 hover:text-1">
        Email goes to the demo’s outbox
      </Link>
    </p>
  )
}

const fieldCounts = { 'log-in': 2, 'sign-up': 4, 'forgot-password': 1 }

/** Placeholder with the height of a form of /auth while the configuration loads. */
function FormSkeleton({ form }: { form: keyof typeof fieldCounts }) {
  const hasTabs = form !== 'forgot-password'
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-5">
      <h1 className="sr-only">Log in or sign up</h1>
      {hasTabs ? (
        <>
          <Skeleton className="mb-1 h-11" />
          <Skeleton className="h-10 touch:h-11" />
          <Skeleton className="mb-1 h-4" />
        </>
      ) : (
        <Skeleton className="h-15 phone:h-20" />
      )}
      {[...Array(fieldCounts[form]).keys()].map((field) => (
        <Skeleton key={field} className="h-16 touch:h-17" />
      ))}
      {form === 'log-in' && <Skeleton className="h-6 w-48 touch:h-11" />}
      <Skeleton className="h-10 touch:h-11" />
      {form === 'log-in' && <Skeleton className="h-10 touch:h-11" />}
      {hasTabs ? <Skeleton className="h-4 phone:h-8" /> : <Skeleton className="h-10 touch:h-11" />}
    </div>
  )
}

interface VerificationBannerProps {
  email: string
  onDismiss: () => void
}

/** Asks the user to verify their email, with a button to resend the link. */
function VerificationBanner({ email, onDismiss }: VerificationBannerProps) {
  const resend = useMutation({
    mutationFn: () => call('resendVerification', { body: { email } }),
    onSuccess: ({ message }) => toast({ title: 'Verification Email Sent', description: message, variant: 'success' }),
    onError: (error) =>
      toast({
        title: 'Error',
        description: getErrorMessage(error, 'Failed to send the verification email. Please try again.'),
        variant: 'destructive',
      }),
  })
  return (
    <Notice
      tone="medium"
      icon={Mail}
      title="Email Verification Required"
      actions={
        <>
          <Button size="sm" busy={resend.isPending} onClick={() => resend.mutate()}>
            {resend.isPending ? 'Sending…' : 'Resend'}
          </Button>
          <Button size="sm" variant="ghost" onClick={onDismiss}>
            Dismiss
          </Button>
        </>
      }
    >
      {`We sent a link to ${email}. Open it to finish signing up.`}
    </Notice>
  )
}
