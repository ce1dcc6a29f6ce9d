import type { IdentityProvider, ProviderError } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { toast } from '../../ui/toast.tsx'

export const providerNames: Record<IdentityProvider, string> = { google: 'Google', linkedin: 'LinkedIn' }

/** The address that sends the browser to a provider and, signed in, back to `returnTo`. */
export function providerHref(
  provider: IdentityProvider,
  { returnTo, purpose }: { returnTo: string; purpose?: 'link' | 'confirm' },
): string {
  const query = new URLSearchParams({ returnTo, ...(purpose ? { purpose } : {}) })
  return `/api/auth/${provider}?${query}`
}

interface Explanation {
  title: string
  /** The person's own decision, or nothing that anybody did wrong. */
  isCalm: boolean
  sentence: string
}

const failed: Explanation = {
  title: 'Sign-in failed',
  isCalm: false,
  sentence: 'The provider did not confirm who you are. Try again in a moment, or use another way to sign in.',
}

const explanations: Record<ProviderError, Explanation> = {
  failed,
  not_configured: {
    title: 'Not configured',
    isCalm: true,
    sentence: 'This provider is not configured here. Use your email and password, or a wallet.',
  },
  denied: {
    title: 'Cancelled',
    isCalm: true,
    sentence: 'You cancelled at the provider. Nothing was changed.',
  },
  expired: {
    title: 'Took too long',
    isCalm: true,
    sentence: 'The provider’s answer came too late, or was opened a second time. Start again.',
  },
  email_in_use: {
    title: 'An account has this email',
    isCalm: false,
    sentence:
      'Log in to that account first, then link the provider in its settings. We never join accounts by email alone.',
  },
  email_not_verified: {
    title: 'Email not verified',
    isCalm: false,
    sentence:
      'The provider has not verified your email address. Verify it there, or sign up here with email and password.',
  },
  identity_taken: {
    title: 'Already linked',
    isCalm: false,
    sentence: 'This sign-in belongs to another account. Unlink it there first.',
  },
}

/**
 * What a provider's failure means for the person. A code that is none of ours says nothing that a
 * link could choose.
 */
export function explainProviderError(code: string): Explanation {
  return Object.entries(explanations).find(([known]) => known === code)?.[1] ?? failed
}

/** Says what a trip to a provider has brought about, on whichever page it ends. */
export function useProviderNews(): void {
  const linked = useReturnParameter('linked')
  const confirmed = useReturnParameter('confirmed')
  useEffect(() => {
    if (linked !== null)
      toast({ title: 'Sign-in Linked', description: 'You can sign in with it now.', variant: 'success' })
    if (confirmed !== null) {
      toast({
        title: 'Confirmed',
        description: 'Now do it again: for ten minutes you are not asked.',
        variant: 'success',
      })
    }
  }, [linked, confirmed])
}

/**
 * What the way back from a provider says in the address, read once and taken out of it. Null:
 * nothing.
 */
export function useReturnParameter(name: 'provider_error' | 'linked' | 'confirmed'): string | null {
  const [value] = useState(() => new URLSearchParams(window.location.search).get(name))
  useEffect(() => {
    if (value === null) return
    const query = new URLSearchParams(window.location.search)
    query.delete(name)
    const rest = query.size > 0 ? `?${query}` : ''
    window.history.replaceState(window.history.state, '', window.location.pathname + rest + window.location.hash)
  }, [name, value])
  return value
}
