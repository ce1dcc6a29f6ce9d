import type { PushSubscription } from 'web-push'
import type { Config } from '../../config.ts'
import { discord } from './kinds/discord.ts'
import type { Answer, HttpKind } from './kinds/kind.ts'
import type { Message } from './kinds/message.ts'
import { ntfy } from './kinds/ntfy.ts'
import { slack } from './kinds/slack.ts'
import { post } from './post.ts'
import { encrypt, type PushOptions } from './push/encrypt.ts'
import type { VapidKeys } from './push/vapid-keys.ts'
import { createVapidTokens } from './push/vapid-token.ts'
import { openSecrets } from './secrets.ts'
import { signMessage } from './sign-message.ts'

export const httpKinds = { discord, slack, ntfy } satisfies Record<string, HttpKind>

/** What a request is made of. Plain data, because it is sent to a thread. */
export type HttpMessage = {
  config: Pick<Config, 'appSecret' | 'appSecretPrevious'> & { allowPrivate: boolean }
  /** The destination, with its encrypted secrets. */
  destination: { id: string; sealed: string }
  at: Date
  /** No request begins later, by `sharedNowMs`, because the check of the plan is too old then. */
  startByMs: number
  /** The end of the plan, by `sharedNowMs`. Connecting may take longer; then nothing is written. */
  endsAtMs: number
} & (
  | { kind: 'webhook'; id: string; body: string }
  | { kind: keyof typeof httpKinds; message: Message }
  | { kind: 'web-push'; payload: string; options: PushOptions; keys: VapidKeys; contact: string }
)

export interface Limits {
  signal: AbortSignal
  /** Both by `sharedNowMs`: a request over HTTP that begins or connects later is not sent. */
  startByMs?: number
  endsAtMs?: number
}

const authorize = createVapidTokens()

/** The monotonic clock of the machine. That of `performance` begins with each thread. */
export const sharedNowMs = () => Number(process.hrtime.bigint()) / 1e6

/** Nothing was sent, because `startByMs` or `endsAtMs` had passed. */
export class StartedTooLate extends Error {
  override name = 'StartedTooLate'
}

/**
 * Builds, signs or encrypts a request, and sends it. Decrypted secrets do not leave this function.
 * @throws UnreadableKey, StartedTooLate
 */
export async function sendHttpMessage(message: HttpMessage, signal: AbortSignal): Promise<Answer> {
  if (sharedNowMs() > message.startByMs) throw new StartedTooLate()
  const { allowPrivate } = message.config
  const answer = await post({
    ...buildRequest(message),
    allowPrivate,
    keepsConnection: message.kind === 'web-push',
    signal,
    mayWrite: () => sharedNowMs() <= message.endsAtMs,
  })
  if (answer === null) throw new StartedTooLate()
  return answer
}

function buildRequest(message: HttpMessage): {
  url: string
  headers: Record<string, string>
  body: string | Uint8Array
} {
  const { config, destination, at } = message
  if (message.kind === 'webhook') {
    const { url, ...keys } = openSecrets(config, { ...destination, kind: message.kind })
    const { id, body } = message
    return { url, headers: signMessage(keys, id, at, body), body }
  }
  if (message.kind === 'web-push') {
    const { payload, options, keys, contact } = message
    const { url, p256dh, auth } = openSecrets(config, { ...destination, kind: message.kind })
    const subscription: PushSubscription = { endpoint: url, keys: { p256dh, auth } }
    return { url, ...encrypt(subscription, payload, { ...options, authorization: authorize(keys, contact, url, at) }) }
  }
  return httpKinds[message.kind].buildRequest(
    openSecrets(config, { ...destination, kind: message.kind }),
    message.message,
  )
}
