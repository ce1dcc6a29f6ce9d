import { useQuery } from '@tanstack/react-query'
import { numberLocale } from '../../ui/locale.ts'
import { adminQueries } from './admin-queries.ts'

/** How many clients a broadcast would reach now. Empty until known. */
export function Recipients() {
  const { data } = useQuery(adminQueries.recipients)
  if (!data) return null
  const { connected, entitled } = data
  return reaches({ connected, entitled })
}

function reaches({ connected, entitled }: { connected: number; entitled: number }) {
  const clients = `${connected.toLocaleString(numberLocale)} connected ${connected === 1 ? 'client' : 'clients'}`
  const accounts = `${entitled.toLocaleString(numberLocale)} ${entitled === 1 ? 'account' : 'accounts'}`
  return `to ${clients}; ${accounts} may read it`
}
