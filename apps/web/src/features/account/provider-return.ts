import type { IdentityProvider, ProviderError } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { toast } from '../../ui/toast.tsx'

export const providerNames: Record<IdentityProvider, string> = { google: 'Google', linkedin: 'LinkedIn' }

/**
 * Returns the URL that starts a sign-in with a provider. With a `purpose`, it instead links the
 * provider to the account or confirms the user's identity. On success, the server redirects to
 * `returnTo`.
 */
export function formatProviderHref(
  provider: IdentityProvider,
  { returnTo, purpose }: { returnTo: string; purpose?: 'link' | 'confirm' },
): string {
  const query = new URLSearchParams({ returnTo, ...(purpose ? { purpose } : {}) })
  return `/api/auth/${provider}?${query}`
}

interface Explanation {
  title: string
  /** True if the message is not an error, for example because the user cancelled. */
  isExpected: boolean
  message: string
}

const failedExplanation: Explanation = {
  title: 'Sign-in failed',
  isExpected: false,
  message: 'The provider did not confirm who you are. Try again in a moment, or use another way to sign in.',
}

const explanations: Record<ProviderError, Explanation> = {
  failed: failedExplanation,
  not_configured: {
    title: 'Not configured',
    isExpected: true,
    message: 'This provider is not configured here. Use your email and password, or a wallet.',
  },
  denied: {
    title: 'Cancelled',
    isExpected: true,
    message: 'You cancelled at the provider. Nothing was changed.',
  },
  expired: {
    title: 'Sign-in expired',
    isExpected: true,
    message: 'The provider’s response came too late, or was used a second time. Start again.',
  },
  email_in_use: {
    title: 'An account has this email',
    isExpected: false,
    message:
      'Log in to that account first, then link the provider under Settings. We never link accounts by email alone.',
  },
  email_not_verified: {
    title: 'Email not verified',
    isExpected: false,
    message:
      'The provider has not verified your email address. Verify it there, or sign up here with email and password.',
  },
  identity_taken: {
    title: 'Already linked',
    isExpected: false,
    message: 'This sign-in belongs to another account. Unlink it there first.',
  },
}

/**
 * Explains a provider error to the user. Unknown codes get a generic message, so that the author of
 * a link can't choose the text that is shown.
 */
export function explainProviderError(code: string): Explanation {
  return Object.entries(explanations).find(([known]) => known === code)?.[1] ?? failedExplanation
}

/**
 * Shows a toast when the user returns from a provider after linking it or reauthenticating with it.
 */
export function useProviderToasts(): void {
  const linkedParameter = useReturnParameter('linked')
  const confirmedParameter = useReturnParameter('confirmed')
  useEffect(() => {
    if (linkedParameter !== null)
      toast({ title: 'Sign-in Linked', description: 'You can now sign in with this provider.', variant: 'success' })
    if (confirmedParameter !== null) {
      toast({
        title: 'Confirmed',
        description: 'Now repeat your action. The confirmation is valid for ten minutes.',
        variant: 'success',
      })
    }
  }, [linkedParameter, confirmedParameter])
}

/**
 * Reads a query parameter of the URL to which the server redirected after a provider flow, and
 * removes the parameter from the URL.
 */
export function useReturnParameter(name: 'provider_error' | 'linked' | 'confirmed'): string | null {
  const [value] = useState(() => new URLSearchParams(window.location.search).get(name))
  useEffect(() => {
    if (value === null) return
    const query = new URLSearchParams(window.location.search)
    query.delete(name)
    const queryText = query.size > 0 ? `?${query}` : ''
    window.history.replaceState(window.history.state, '', window.location.pathname + queryText + window.location.hash)
  }, [name, value])
  return value
}
