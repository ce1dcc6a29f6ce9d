import type { Endpoint, RefusalCode } from '@tocsin/protocol'
import type { Context } from '../context.ts'
import { type Scheduler, systemScheduler } from '../scheduler.ts'
import type { NewSecurityEvent } from '../security-events.ts'
import { redactKeys } from './bearer.ts'
import { createLineLimit } from './line-limit.ts'

/** Refusals that may indicate an attack. Other refusals, such as malformed input, are routine. */
const SECURITY_CODES = new Set<RefusalCode>([
  'invalid_credentials',
  'not_signed_in',
  'api_key_invalid',
  'api_key_expired',
  'api_key_in_url',
  'api_key_scope',
  'forbidden',
  'foreign_origin',
  'admin_required',
  'permission_required',
  'second_factor_required',
  'enrolment_code_required',
  'code_wrong',
  'passkey_refused',
  'wallet_not_proved',
  'reauthentication_required',
  'account_suspended',
  'challenge_invalid',
  'signature_invalid',
  'token_invalid',
  'endpoint_refused',
  'unsupported_media_type',
  'too_many_requests',
])

const MAX_PATH_LENGTH = 200

export interface SecurityEvent {
  requestId: string
  method: string
  /** The query is not logged, because it can contain an emailed token. */
  url: string
  network: string
  accountId?: string | undefined
}

export interface SecurityLog {
  refused(code: RefusalCode, event: SecurityEvent): void
  /**
   * Logs a change of access rights, such as a sign-in, a new role or password, or an ended session.
   * @param access access of the endpoint. Changes by admins have their own limit of log lines, so
   * that users cannot hide them by making many changes
   */
  changed(event: SecurityEvent, access: Endpoint['access']): void
  /** Logs the number of events suppressed so far. */
  close(): void
}

/**
 * Logs requests that concern security, with a limit of lines per minute for each kind of event.
 * Refusals are also stored as security events. Changes are not, because the features that make the
 * changes store events with more detail.
 */
export function createSecurityLog(
  { logger, clock, queueSecurityEvent }: Pick<Context, 'logger' | 'clock' | 'queueSecurityEvent'>,
  scheduler: Scheduler = systemScheduler,
): SecurityLog {
  const storeEvent = (kind: RefusalCode | 'suppressed', event: Partial<NewSecurityEvent>) =>
    queueSecurityEvent({ at: clock.now(), category: 'refused', kind, isLogged: true, ...event })
  const limit = createLineLimit(scheduler, (event, suppressed) => {
    logger.warn({ event, suppressed }, 'further security events were not logged')
    storeEvent('suppressed', { detail: `${suppressed} further events of kind ${event}` })
  })
  const logEvent = (kind: RefusalCode | 'changed', event: SecurityEvent, limitKind: string = kind) => {
    if (!limit.admits(limitKind)) return
    const { requestId, method, url, network, accountId } = event
    const path = redactKeys(url.split('?')[0] ?? '').slice(0, MAX_PATH_LENGTH)
    logger.info(
      { event: kind, reqId: requestId, method, path, network, ...(accountId ? { accountId } : {}) },
      'security event',
    )
    if (kind !== 'changed') storeEvent(kind, { requestId, network, accountId, detail: `${method} ${path}` })
  }
  return {
    refused(code, event) {
      if (SECURITY_CODES.has(code)) logEvent(code, event)
    },
    changed: (event, access) => logEvent('changed', event, access === 'admin' ? 'changed by admins' : 'changed'),
    close: limit.close,
  }
}
