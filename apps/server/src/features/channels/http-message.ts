import type { LookupAddress } from 'node:dns'
import type { PushSubscription } from 'web-push'
import type { Config } from '../../config.ts'
import type { Resolve } from '../feed/endpoint.ts'
import { discord } from './kinds/discord.ts'
import type { Answer, HttpKind, Request } from './kinds/kind.ts'
import type { Message } from './kinds/message.ts'
import { ntfy } from './kinds/ntfy.ts'
import { slack } from './kinds/slack.ts'
import { type Bot, buildTelegram } from './kinds/telegram.ts'
import { postMessage } from './post.ts'
import { encrypt, type PushOptions } from './push/encrypt.ts'
import type { VapidKeys } from './push/vapid-keys.ts'
import { createVapidTokens } from './push/vapid-token.ts'
import { openSecrets } from './secrets.ts'
import { signMessage } from './sign-message.ts'

export const httpKinds = { discord, slack, ntfy } satisfies Record<string, HttpKind>

/** Everything that a request is built from. Plain data, because it is sent to a thread. */
export type HttpMessage = {
  config: Pick<Config, 'appSecret' | 'appSecretPrevious'> & { allowPrivate: boolean }
  /** The destination, with its encrypted secrets. */
  destination: { id: string; sealed: string }
  at: Date
  /**
   * If set, the request may only go to these addresses of the host. Otherwise to those that the DNS
   * returns.
   */
  addresses?: LookupAddress[] | undefined
} & (
  | { kind: 'telegram'; bot: Bot; message: Message }
  | { kind: 'webhook'; id: string; body: string }
  | { kind: keyof typeof httpKinds; message: Message }
  | { kind: 'web-push'; payload: string; options: PushOptions; keys: VapidKeys; contact: string }
)

/** Asks the database whether the account still gets alerts. Never rejects. */
export type IsEntitled = () => Promise<boolean>

export interface SendLimits {
  signal: AbortSignal
  /**
   * The latest time at which a request may start, by `sharedNowMs`. After this time the check of
   * the plan is too old, so if the connection opens later, the plan is checked again.
   */
  startByMs: number
  /**
   * The end of the plan, by `sharedNowMs`. If the connection opens after this time, nothing is
   * written.
   */
  endsAtMs: number
  isEntitled: IsEntitled
}

/** The limits of messages that are not alerts. */
export const noLimits = {
  startByMs: Number.POSITIVE_INFINITY,
  endsAtMs: Number.POSITIVE_INFINITY,
  isEntitled: async () => true,
}

const createVapidAuthorization = createVapidTokens()

/**
 * Returns the machine's monotonic time. `performance.now()` cannot be compared between threads,
 * because it starts at 0 in each of them.
 */
export const sharedNowMs = () => Number(process.hrtime.bigint()) / 1e6

/** Nothing was sent, because `startByMs` or `endsAtMs` had passed. */
export class StartedTooLate extends Error {
  override name = 'StartedTooLate'
}

/** Called when a connection is open, as the last check before a message is written to it. */
export async function mayStillSend({ startByMs, endsAtMs, isEntitled }: Omit<SendLimits, 'signal'>): Promise<boolean> {
  const nowMs = sharedNowMs()
  return nowMs <= endsAtMs && (nowMs <= startByMs || (await isEntitled()))
}

/**
 * Builds, signs or encrypts a request, and sends it. Decrypted secrets do not leave this function.
 * @throws UnreadableSecretError, StartedTooLate
 */
export async function sendHttpMessage(message: HttpMessage, limits: SendLimits): Promise<Answer> {
  if (sharedNowMs() > limits.startByMs) throw new StartedTooLate()
  const { kind, addresses } = message
  const answer = await postMessage({
    ...buildRequest(message),
    allowPrivate: kind === 'telegram' || message.config.allowPrivate,
    keepsConnection: kind === 'web-push' || kind === 'telegram',
    signal: limits.signal,
    mayWrite: () => mayStillSend(limits),
    ...(addresses && { resolve: createFixedResolve(addresses) }),
  })
  if (answer === null) throw new StartedTooLate()
  return answer
}

function createFixedResolve(addresses: LookupAddress[]): Resolve {
  return async () => {
    if (addresses.length === 0) throw new Error('The host has no address')
    return addresses
  }
}

function buildRequest(message: HttpMessage): Omit<Request, 'body'> & { body: string | Uint8Array } {
  const { config, destination, at } = message
  if (message.kind === 'telegram') {
    const { chatId, threadId } = openSecrets(config, { ...destination, kind: message.kind })
    if (chatId === null) throw new Error('No chat is linked')
    return buildTelegram(message.bot, { chatId, threadId }, message.message, destination.id)
  }
  if (message.kind === 'webhook') {
    const { url, ...keys } = openSecrets(config, { ...destination, kind: message.kind })
    const { id, body } = message
    return { url, headers: signMessage(keys, id, at, body), body }
  }
  if (message.kind === 'web-push') {
    const { payload, options, keys, contact } = message
    const { url, p256dh, auth } = openSecrets(config, { ...destination, kind: message.kind })
    const subscription: PushSubscription = { endpoint: url, keys: { p256dh, auth } }
    return {
      url,
      ...encrypt(subscription, payload, {
        ...options,
        authorization: createVapidAuthorization(keys, contact, url, at),
      }),
    }
  }
  return httpKinds[message.kind].buildRequest(
    openSecrets(config, { ...destination, kind: message.kind }),
    message.message,
  )
}
