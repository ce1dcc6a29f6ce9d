import { useEffect } from 'react'
import { LandingPage } from './landing-page.tsx'
import { usePublic } from './use-public.ts'

/** The landing page by itself: what most visitors see first carries no router, no schemas and no wallet. */
export function Landing() {
  const { data } = usePublic('currentUser')
  useEffect(() => {
    const { dataset } = document.documentElement
    if (data) dataset.session = data.user && !('leaving' in dataset) ? 'in' : 'out'
  }, [data])
  return <LandingPage />
}
