import type { Permission } from '@tocsin/protocol'
import { type AuditActor, getAuditActor } from '../../audit-log.ts'
import { type Actor, requireActor } from '../../http/route.ts'

/** An action of staff on the account `accountId`. */
export interface StaffAction {
  by: AuditActor
  /** The permissions of the actor's role. */
  permissions: readonly Permission[]
  accountId: string
}

/** Returns the action of a request on the account in its path. */
export function createStaffAction(input: {
  actor: Actor | null
  request: { id: string }
  params: { id: string }
}): StaffAction {
  const { permissions } = requireActor(input)
  return { by: getAuditActor(input), permissions, accountId: input.params.id }
}
