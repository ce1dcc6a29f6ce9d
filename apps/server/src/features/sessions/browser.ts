import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { getNetwork } from '../../http/network.ts'
import { getDeviceCookieName } from './known-device.ts'
import { getCookieName } from './session.ts'

/** Browser details from a request. */
export interface Browser {
  userAgent: string
  deviceCookie: string | undefined
  sessionCookie: string | undefined
  /** Network that rate limits count by: an IPv4 address or an IPv6 /64 prefix. */
  network: string
}

export function readBrowser(ctx: Context, request: FastifyRequest): Browser {
  return {
    userAgent: request.headers['user-agent'] ?? '',
    deviceCookie: request.cookies[getDeviceCookieName(ctx.config)],
    sessionCookie: request.cookies[getCookieName(ctx.config)],
    network: getNetwork(request.ip),
  }
}
