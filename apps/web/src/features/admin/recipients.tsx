import { useQuery } from '@tanstack/react-query'
import { adminAlertsTexts } from '../../texts/admin-alerts.tsx'
import { adminQueries } from './admin-queries.ts'

const texts = adminAlertsTexts.recipients

/** Who a broadcast would reach now. Says nothing while that is not known. */
export function Recipients() {
  const { data } = useQuery(adminQueries.recipients)
  if (!data) return null
  const { connected, entitled } = data
  return texts.reaches({ connected, entitled })
}
