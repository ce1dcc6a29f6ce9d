import { useQueryClient } from '@tanstack/react-query'
import { openAlertStream } from '@tocsin/client'
import { useEffect } from 'react'
import { logUnknownMessage } from '../../log-unknown-message.ts'
import { queries } from '../../queries.ts'
import { refreshAfterChange, refreshAreas } from './refresh.ts'

/** Keeps the admin area up with what happens elsewhere: the server says which part has changed, and the page reads it again. */
export function AdminChanges() {
  const queryClient = useQueryClient()
  useEffect(() => {
    let isFirst = true
    const stream = openAlertStream({
      url: `${location.origin.replace(/^http/, 'ws')}/ws`,
      // No wallet, no alerts: what it is told of, the session alone decides.
      authenticate() {
        if (!isFirst) refreshAfterChange(queryClient)
        isFirst = false
        return null
      },
      onMessage(message) {
        if (message.type === 'admin_changed') refreshAreas(queryClient, message.areas)
      },
      onUnknown: logUnknownMessage,
      onEnded: () => void queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey }),
    })
    const probe = () => stream.probe()
    window.addEventListener('focus', probe)
    window.addEventListener('online', probe)
    return () => {
      window.removeEventListener('focus', probe)
      window.removeEventListener('online', probe)
      stream.close()
    }
  }, [queryClient])
  return null
}
