import { useQueryClient } from '@tanstack/react-query'
import { openAlertStream } from '@tocsin/client'
import { useEffect } from 'react'
import { queries } from '../../api/queries.ts'
import { logUnknownMessage } from '../../browser/log-unknown-message.ts'
import { refreshAfterChange, refreshAreas } from './refresh.ts'

/**
 * Keeps the admin area current: the server announces which areas have changed, and this refetches
 * them.
 */
export function AdminChanges() {
  const queryClient = useQueryClient()
  useEffect(() => {
    let isFirst = true
    const stream = openAlertStream({
      url: `${location.origin.replace(/^http/, 'ws')}/ws`,
      // Sends no wallet and gets no alerts: the session alone decides what this socket receives.
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
