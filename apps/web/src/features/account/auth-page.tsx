import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useAuth } from '../../auth.tsx'
import { queries } from '../../queries.ts'
import { Tabs } from '../../ui/tabs.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { type AuthTab, authHref, destinationOf, readAuthSearch } from './auth-search.ts'
import { DemoMailHint } from './demo-mail-hint.tsx'
import { ForgotPasswordForm } from './forgot-password-form.tsx'
import { FormSkeleton } from './form-skeleton.tsx'
import { LogInForm } from './log-in-form.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { SignUpForm } from './sign-up-form.tsx'
import { VerificationBanner } from './verification-banner.tsx'

/** Sign-in and sign-up. Tab and mode live in the address, so that Back and links work. */
export function AuthPage() {
  const { isAuthenticated } = useAuth()
  const { tab, mode, next } = readAuthSearch(useSearch({ strict: false }))
  const { data: config, isPending } = useQuery(queries.config)
  const [unverifiedEmail, setUnverifiedEmail] = useState<string | null>(null)

  if (isAuthenticated) return <Leave href={destinationOf(next)} />
  return (
    <AuthLayout>
      <div role="status">
        {unverifiedEmail !== null && mode === undefined && (
          <div className="mb-10">
            <VerificationBanner email={unverifiedEmail} onDismiss={() => setUnverifiedEmail(null)} />
          </div>
        )}
      </div>
      {/* Which sign-ins there are decides how high the page is: nothing is drawn that would move. */}
      {isPending ? (
        <FormSkeleton fields={mode ? 1 : tab === 'sign-up' ? 4 : 2} />
      ) : (
        <Forms email={unverifiedEmail ?? ''} onUnverified={setUnverifiedEmail} />
      )}
      {config?.demo && <DemoMailHint />}
    </AuthLayout>
  )
}

function Forms({ email, onUnverified }: { email: string; onUnverified: (email: string) => void }) {
  const router = useRouter()
  const { tab, mode, next } = readAuthSearch(useSearch({ strict: false }))
  const { data: config } = useQuery(queries.config)
  const show = (nextTab: AuthTab) => router.history.push(authHref({ tab: nextTab, next }))

  if (mode === 'forgot-password') return <ForgotPasswordForm logInHref={authHref({ next })} />
  return (
    <>
      <h1 className="sr-only">{tab === 'log-in' ? 'Log in to Tocsin' : 'Create your Tocsin account'}</h1>
      <Tabs
        label="Log in or sign up"
        value={tab}
        onChange={show}
        panelClassName="pt-6"
        tabs={[
          {
            value: 'log-in',
            label: 'Log in',
            panel: (
              <>
                {config && <ProviderButtons signIn={config.signIn} />}
                <LogInForm
                  email={email}
                  forgotPasswordHref={authHref({ mode: 'forgot-password', next })}
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
                {config && <ProviderButtons signIn={config.signIn} />}
                <SignUpForm
                  onRegistered={(registered) => {
                    onUnverified(registered)
                    show('log-in')
                  }}
                />
              </>
            ),
          },
        ]}
      />
    </>
  )
}

function Leave({ href }: { href: string }) {
  const router = useRouter()
  useEffect(() => router.history.replace(href), [router, href])
  return null
}
