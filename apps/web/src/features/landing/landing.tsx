import { useEffect } from 'react'
import { AnnouncementBanner } from '../site/announcement-banner.tsx'
import { LandingPage } from './landing-page.tsx'
import { usePublic } from './use-public.ts'

/** The standalone landing page, which loads no router, schemas or wallet code. */
export function Landing() {
  const { data } = usePublic('currentUser')
  useEffect(() => {
    const { dataset } = document.documentElement
    if (data) dataset.session = data.user && !('leaving' in dataset) ? 'in' : 'out'
  }, [data])
  const { data: announcements } = usePublic('findAnnouncements')
  return (
    <>
      {announcements && <AnnouncementBanner announcements={announcements} />}
      <LandingPage />
    </>
  )
}
