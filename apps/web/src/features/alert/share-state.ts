import type { PublicConfig } from '@tocsin/protocol'
import { createAlertPath } from '../../paths.ts'

type SharingConfig = Pick<PublicConfig, 'publicDelayHours' | 'shareLinkHours'>

/**
 * The content that a link to the alert shows to readers without an account. `public`: the whole
 * alert. `off`: only time, priority and leaf hash until `publicAt`. `private`: as `off`, but a link
 * with a token shows the whole alert.
 */
export type ShareState = { kind: 'public' } | { kind: 'off' | 'private'; publicAt: string }

export function getShareState(createdAt: string, config: SharingConfig, nowMs: number): ShareState {
  const publicAtMs = Date.parse(createdAt) + config.publicDelayHours * 3_600_000
  if (publicAtMs <= nowMs) return { kind: 'public' }
  return { kind: config.shareLinkHours === 0 ? 'off' : 'private', publicAt: new Date(publicAtMs).toISOString() }
}

/**
 * Returns the link to the public page of an alert.
 * @param token is put into the fragment, which browsers do not send to servers
 */
export function createShareLink(origin: string, logIndex: number, token: string | null): string {
  return `${origin}${createAlertPath(logIndex)}${token === null ? '' : `#${token}`}`
}
