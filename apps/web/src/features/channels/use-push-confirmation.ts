import { useEffect, useEffectEvent } from 'react'
import { call } from '../../api/api.ts'
import { useUser } from '../../session/auth.tsx'
import { findOwnDestinationId, onPushCode } from './push-device.ts'
import { useDestinationChange } from './use-destination-change.ts'

/**
 * Confirms the destination of this browser with the code of the push message that the service
 * worker passes on. Only one component of a page may use this hook, because the server accepts a
 * code only once.
 */
export function usePushConfirmation(): void {
  const { id: accountId } = useUser()
  const confirm = useDestinationChange(({ id, code }: { id: string; code: string }) =>
    call('confirmDestination', { params: { id }, body: { code } }),
  )
  const onCode = useEffectEvent((code: string) => {
    const id = findOwnDestinationId(accountId)
    if (id !== null) confirm.mutate({ id, code })
  })
  useEffect(() => onPushCode(onCode), [])
}
