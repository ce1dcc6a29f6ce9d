import { useQuery } from '@tanstack/react-query'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { call } from '../../api/api.ts'
import { AnnouncementBanner } from './announcement-banner.tsx'

/** Shows the announcements for this user. The server selects them. */
export function AnnouncementNotice({ userId }: { userId: string | null }) {
  const { data = [] } = useQuery({
    queryKey: ['/api/announcements', userId],
    queryFn: ({ signal }) => call('findAnnouncements', { signal }),
    refetchInterval: 5 * MINUTE_MS,
    refetchOnWindowFocus: 'always',
  })
  return <AnnouncementBanner announcements={data} />
}
