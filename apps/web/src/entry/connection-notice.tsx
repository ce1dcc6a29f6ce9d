import { useEffect } from 'react'
import { awaitServer, probeServer } from '../browser/probe-server.ts'
import { isOfflinePage, useConnection } from '../browser/use-online.ts'
import { Button } from '../ui/button.tsx'

/** Shown while there is no connection. Disappears when the server responds again. */
export function ConnectionNotice() {
  const connection = useConnection()
  const isOnline = connection === 'online'
  useEffect(() => (isOnline || !isOfflinePage() ? undefined : awaitServer()), [isOnline])
  if (isOnline) return null
  return (
    <p role="status" className="border-b border-line-2 bg-ink-2 px-6 py-2 text-center text-base phone:px-4">
      {connection === 'offline' ? 'You are offline.' : 'Tocsin is not responding.'} Changes are not saved.{' '}
      {connection === 'no-server' && <Button onClick={() => void probeServer()}>Try again</Button>}
    </p>
  )
}
