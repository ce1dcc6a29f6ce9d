import type { Endpoint, RefusalCode } from '@tocsin/protocol'
import type { Logger } from 'pino'

/** Refusals that an operator wants to see when someone probes the server. Others, such as malformed input, are everyday. */
const SECURITY_CODES = new Set<RefusalCode>([
  'invalid_credentials',
  'not_signed_in',
  'forbidden',
  'foreign_origin',
  'admin_required',
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

const WINDOW_MS = 60_000
/** Lines of one kind in a window. Under a flood the rest is counted, and told in one line. */
const LINES_PER_WINDOW = 20
const LONGEST_PATH = 200

export interface SecurityEvent {
  requestId: string
  method: string
  /** Its query is left out, because it can carry a mailed token. */
  url: string
  network: string
  accountId?: string | undefined
}

export interface SecurityLog {
  refused(code: RefusalCode, event: SecurityEvent): void
  /**
   * Something that changes who may do what was done: a sign-in, a role, a password, an ended session.
   * @param access of the call: users cannot hide what admins do behind many changes of their own
   */
  changed(event: SecurityEvent, access: Endpoint['access']): void
}

/** Writes security events to the log, at most so many of each kind in a minute. */
export function createSecurityLog(logger: Logger, nowMs: () => number = () => performance.now()): SecurityLog {
  const windows = new Map<string, { beganAtMs: number; lines: number; suppressed: number }>()

  const write = (kind: string, event: SecurityEvent, windowName: string = kind) => {
    const now = nowMs()
    let window = windows.get(windowName)
    if (window && now - window.beganAtMs >= WINDOW_MS) {
      const { suppressed } = window
      if (suppressed > 0) logger.warn({ event: kind, suppressed }, 'further security events were not written')
      window = undefined
    }
    window ??= { beganAtMs: now, lines: 0, suppressed: 0 }
    windows.set(windowName, window)
    if (window.lines >= LINES_PER_WINDOW) {
      window.suppressed += 1
      return
    }
    window.lines += 1
    const { requestId, method, url, network, accountId } = event
    const path = (url.split('?')[0] ?? '').slice(0, LONGEST_PATH)
    logger.info(
      { event: kind, reqId: requestId, method, path, network, ...(accountId ? { accountId } : {}) },
      'security event',
    )
  }
  return {
    refused(code, event) {
      if (SECURITY_CODES.has(code)) write(code, event)
    },
    changed: (event, access) => write('changed', event, access === 'admin' ? 'changed by admins' : 'changed'),
  }
}
