import { useQuery } from '@tanstack/react-query'
import { adminQueries } from './admin-queries.ts'

/** Who a broadcast would reach now. Says nothing while that is not known. */
export function Recipients() {
  const { data } = useQuery(adminQueries.recipients)
  if (!data) return null
  const { connected, entitled } = data
  return (
    <>
      to {counted(connected, 'connected client')}; {counted(entitled, 'account')} may read it
    </>
  )
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}
