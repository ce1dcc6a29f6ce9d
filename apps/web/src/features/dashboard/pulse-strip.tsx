import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import { usePreferences } from '../../session/preferences.ts'
import { useStreamStatus } from '../../stream/stream-status.ts'
import { PulseLine } from '../../ui/identity/pulse-line.tsx'
import { useNow } from '../../ui/now.ts'
import { hrefOf } from '../alert/alert-words.ts'
import { pulseAlerts } from './pulse.ts'

const stepMs = 15_000
const mostRecent = 100

/** The alerts of the last 24 hours, including locked ones. A click opens the alert in the list. */
export function PulseStrip() {
  const { id } = useUser()
  const router = useRouter()
  const { gaps, isWanted } = useStreamStatus()
  const { preferences } = usePreferences()
  const { data: own = [] } = useQuery(queries.userAlerts(id))
  const { data: recent = [] } = useQuery(queries.recentAlerts)
  // Subscribers have all alerts from the queries above. For others, this adds the locked ones.
  const { data: locked = [] } = useQuery({
    queryKey: ['/api/alerts/recent', mostRecent],
    queryFn: ({ signal }) => call('recentAlerts', { query: { limit: mostRecent }, signal }),
    enabled: !isWanted && preferences.realTimeAlerts,
  })
  const now = useNow((nowMs) => Math.floor(nowMs / stepMs) * stepMs)
  const alerts = pulseAlerts([...own.map(({ alert }) => alert), ...recent, ...(isWanted ? [] : locked)], now)
  return (
    <PulseLine alerts={alerts} gaps={gaps} now={now} onSelect={(alertId) => router.history.push(hrefOf(alertId))} />
  )
}
