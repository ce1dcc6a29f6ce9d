import { useEffect } from 'react'
import { LandingPage } from './landing-page.tsx'
import { usePublic } from './use-public.ts'

/** The landing page by itself: what most visitors see first carries no router, no schemas and no wallet. */
export function Landing() {
  const { data } = usePublic('currentUser')
  useEffect(() => {
    if (data) document.documentElement.dataset.session = data.user ? 'in' : 'out'
  }, [data])
  return <LandingPage />
}
