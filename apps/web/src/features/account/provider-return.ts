import type { IdentityProvider, ProviderError } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { shellTexts } from '../../texts/shell.tsx'
import { toast } from '../../ui/toast.tsx'

const texts = shellTexts.providerReturn

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
  title: texts.signInFailed,
  isCalm: false,
  sentence: texts.providerDidNotConfirm,
}

const explanations: Record<ProviderError, Explanation> = {
  failed,
  not_configured: {
    title: texts.notConfigured,
    isCalm: true,
    sentence: texts.thisProvider,
  },
  denied: {
    title: texts.cancelled,
    isCalm: true,
    sentence: texts.youCancelledAtTheProvider,
  },
  expired: {
    title: texts.tookTooLong,
    isCalm: true,
    sentence: texts.providersAnswerCameTooLate,
  },
  email_in_use: {
    title: texts.accountHasThisEmail,
    isCalm: false,
    sentence: texts.logInToThatAccount,
  },
  email_not_verified: {
    title: texts.emailNotVerified,
    isCalm: false,
    sentence: texts.providerHasNotVerified,
  },
  identity_taken: {
    title: texts.alreadyLinked,
    isCalm: false,
    sentence: texts.thisSignInBelongs,
  },
}

/** What a provider's failure means for the person. A code that is none of ours says nothing that a link could choose. */
export function explainProviderError(code: string): Explanation {
  return Object.entries(explanations).find(([known]) => known === code)?.[1] ?? failed
}

/** Says what a trip to a provider has brought about, on whichever page it ends. */
export function useProviderNews(): void {
  const linked = useReturnParameter('linked')
  const confirmed = useReturnParameter('confirmed')
  useEffect(() => {
    if (linked !== null) toast({ title: texts.signInLinked, description: texts.youCanSign, variant: 'success' })
    if (confirmed !== null) {
      toast({
        title: texts.confirmed,
        description: texts.nowDoItAgain,
        variant: 'success',
      })
    }
  }, [linked, confirmed])
}

/** What the way back from a provider says in the address, read once and taken out of it. Null: nothing. */
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
