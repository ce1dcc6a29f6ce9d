import type { PublicConfig } from '@tocsin/protocol'
import { alertPath } from '../../paths.ts'

type Sharing = Pick<PublicConfig, 'publicDelayHours' | 'shareLinkHours'>

/**
 * What a link to the alert shows without an account: everything; nothing until it is public; or
 * everything once a link with a token is created.
 */
export type ShareState = { kind: 'public' } | { kind: 'off' | 'private'; publicAt: string }

export function shareStateOf(createdAt: string, config: Sharing, nowMs: number): ShareState {
  const publicAtMs = Date.parse(createdAt) + config.publicDelayHours * 3_600_000
  if (publicAtMs <= nowMs) return { kind: 'public' }
  return { kind: config.shareLinkHours === 0 ? 'off' : 'private', publicAt: new Date(publicAtMs).toISOString() }
}

/** @param token in the fragment, so that browsers send it to no server */
export function shareLink(origin: string, logIndex: number, token: string | null): string {
  return `${origin}${alertPath(logIndex)}${token === null ? '' : `#${token}`}`
}
