import { z } from 'zod'
import { alertContent } from './alerts.ts'
import { deliveryRules, digestTimes, quietHours, zoneName } from './channel-rules.ts'
import { isoTime, priority, realTime } from './primitives.ts'
import { createLineSchema, isDistinct } from './shared-schemas.ts'

export const maxDestinations = 20

export const destinationKinds = ['web-push', 'webhook', 'discord', 'slack', 'ntfy', 'telegram', 'email'] as const
export type DestinationKind = (typeof destinationKinds)[number]

/** Events besides new alerts that a destination receives if its owner enables them. */
export const optionalEvents = ['anchored', 'outcome'] as const
export type OptionalEvent = (typeof optionalEvents)[number]
const deliveryEvents = ['alert', ...optionalEvents] as const
export type DeliveryEvent = (typeof deliveryEvents)[number]

export const destinationState = z.enum(['unconfirmed', 'on', 'paused', 'failing', 'gone'])

/** A service outside this site to which an account's alerts are sent. Contains no secret. */
export const destination = z.object({
  id: z.string(),
  kind: z.enum(destinationKinds),
  name: z.string(),
  host: z.string(),
  state: destinationState,
  /** Verifies the `v1a` signatures of a webhook (Ed25519). */
  publicKey: z.string().nullable(),
  /** Enabled events besides new alerts. */
  events: z.array(z.enum(optionalEvents)),
  mutedUntil: isoTime.nullable(),
  rules: deliveryRules,
  quietHours: quietHours.nullable(),
  /** The times at which digests are sent. Null: each alert is sent immediately. */
  digest: digestTimes.nullable(),
  /** Position in the escalation of critical alerts, from 0. */
  escalationStep: z.number().int().nullable(),
  createdAt: isoTime,
  failingSince: isoTime.nullable(),
  lastDeliveredAt: isoTime.nullable(),
  /** Median response time of the last 7 days. */
  medianMs: z.number().nullable(),
  /** Numbers of deliveries of the last 7 days, by state. */
  delivered: z.number().int(),
  waiting: z.number().int(),
  /** Number of deliveries that wait for the next digest. */
  held: z.number().int(),
  skipped: z.number().int(),
  dead: z.number().int(),
  /** Number of alerts of the last 7 days that were not sent because the destination failed. */
  missed: z.number().int(),
  missedFrom: z.number().int().nullable(),
})
export type Destination = z.infer<typeof destination>

const destinationName = createLineSchema(60)

const base64url = z.string().regex(/^[A-Za-z0-9_-]{1,200}$/, 'Expected base64url')
/** The subscription of a browser at its push service, as returned by `PushSubscription.toJSON`. */
export const pushSubscription = z.strictObject({
  endpoint: z.string().min(1).max(2_000),
  p256dh: base64url,
  auth: base64url,
})
export type PushSubscriptionKeys = z.infer<typeof pushSubscription>
export const renewedSubscription = z.strictObject({
  previousEndpoint: z.string().min(1).max(2_000),
  subscription: pushSubscription,
})

/** The decrypted content of a push message (RFC 8291), which the service worker shows. */
export const pushMessage = z.object({
  type: z.string(),
  title: z.string(),
  body: z.string(),
  /** Path of the page that a click opens. */
  path: z.string(),
  /** Only for a message about one alert: path of the page that the button “Check proof” opens. */
  proofPath: z.string().optional(),
  /** A newer message with the same tag replaces it. */
  tag: z.string(),
  /** The code that confirms the destination. */
  code: z.string().optional(),
})
export type PushMessage = z.infer<typeof pushMessage>

export const newDestination = z.strictObject({
  kind: z.enum(destinationKinds).default('webhook'),
  name: destinationName,
  /** Only for an email destination. */
  address: z.email().max(254).optional(),
  /** Absent for Telegram (linked by a code), for web push and for email. */
  url: z.string().min(1).max(2_000).optional(),
  /** Access token of a protected ntfy topic. */
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'Expected a token without spaces')
    .optional(),
  /** Only for web push. */
  subscription: pushSubscription.optional(),
})
export const destinationChange = z
  .strictObject({
    paused: z.boolean(),
    name: destinationName,
    mutedUntil: realTime.nullable(),
    rules: deliveryRules,
    quietHours: quietHours.nullable(),
    digest: digestTimes.nullable(),
    /** `anchored` is for webhooks only. */
    events: z.array(z.enum(optionalEvents)).max(optionalEvents.length).refine(isDistinct, 'Expected each event once'),
  })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'Expected a change')
/** A change of all confirmed destinations together. */
export const allDestinationsChange = z
  .strictObject({ paused: z.boolean(), mutedUntil: realTime.nullable() })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'Expected a change')

export const escalation = z.strictObject({
  /**
   * Ids of destinations in order. Until a critical alert is acknowledged, each destination gets it
   * 5 minutes after the one before.
   */
  ids: z.array(z.string().max(100)).max(maxDestinations).refine(isDistinct, 'Name each destination once'),
})

export const rulesPreviewRequest = z.strictObject({ rules: deliveryRules, timeZone: zoneName })
/**
 * The alerts of the last 7 days that the rules would have allowed, among those to which the account
 * has access.
 */
export const rulesPreview = z.object({
  count: z.number().int(),
  /** Number of these alerts that an hourly summary would have contained. */
  inSummaries: z.number().int(),
  /** Local days, oldest first. */
  days: z.array(z.object({ day: z.string(), count: z.number().int() })),
  /** Number of these alerts by the verdict on their prediction. */
  cameTrue: z.number().int(),
  didNot: z.number().int(),
  open: z.number().int(),
  /** The newest 100 of these alerts, newest first. */
  alerts: z.array(
    z.object({
      id: z.string(),
      logIndex: z.number().int(),
      asset: alertContent.asset,
      anomalyType: alertContent.anomalyType,
      priority,
      confidence: z.number(),
      at: isoTime,
    }),
  ),
})
export type RulesPreview = z.infer<typeof rulesPreview>

export const acknowledgement = z.object({ logIndex: z.number().int().min(0), at: isoTime })
export type Acknowledgement = z.infer<typeof acknowledgement>
export const acknowledgedAlert = acknowledgement.pick({ logIndex: true }).strict()

/** `secret` is the secret of a webhook. Only this response contains it. Null for other kinds. */
export const createdDestination = z.object({ destination, secret: z.string().nullable() })
/**
 * The code that was sent to a chat or a topic. If it is absent, the server sends a code or a
 * challenge.
 */
export const confirmation = z.strictObject({ code: z.string().max(40).optional() }).nullish()
export const newSecret = z.object({ secret: z.string(), previousUntil: isoTime })

/** The response of the receiving service to a test message. */
export const channelTest = z.object({
  isDelivered: z.boolean(),
  status: z.number().int().nullable(),
  tookMs: z.number().int(),
  response: z.string(),
  message: z.string(),
  /**
   * Only for Telegram: URL that opens the chat with the bot and links this chat to the destination.
   * Valid for 15 minutes.
   */
  link: z.string().optional(),
})
export type ChannelTest = z.infer<typeof channelTest>

const count = z.number().int()
/** Statistics of all destinations of one kind. They contain no data about single accounts. */
const adminChannelKind = z.object({
  kind: z.enum(destinationKinds),
  /** Number of destinations by state. */
  destinations: z.object({ on: count, paused: count, failing: count, gone: count, unconfirmed: count }),
  waiting: count,
  /** Number of waiting deliveries that are due. */
  due: count,
  oldestDueAt: isoTime.nullable(),
  deliveredLastHour: count,
  failedLastHour: count,
  deliveredLastDay: count,
  failedLastDay: count,
  attemptsLastDay: count,
  /** Time from the alert to its delivery. */
  medianDelayMs: count.nullable(),
})
export type AdminChannelKind = z.infer<typeof adminChannelKind>
export const adminChannels = z.object({
  kinds: z.array(adminChannelKind),
  hasTelegramBot: z.boolean(),
  /** False if the stored key for web push cannot be read. */
  canPush: z.boolean(),
})
export const telegramBotTest = z.object({ isWorking: z.boolean(), message: z.string(), tookMs: count })

/** The private feed of an account. The secret address of the feed is not included. */
const privateFeed = z.object({ createdAt: isoTime, lastReadAt: isoTime.nullable() })
export const foundPrivateFeed = z.object({ feed: privateFeed.nullable() })
/** `url` is the secret address of the feed. Only this response contains it. */
export const createdPrivateFeed = z.object({ feed: privateFeed, url: z.string() })

export const channelDelivery = z.object({
  id: z.number().int(),
  logIndex: z.number().int(),
  /**
   * The alert that the message is about. For an outcome, the `logIndex` above is that of the
   * outcome's own log entry. Null if the account has no access to the alert now.
   */
  alert: z.object({ logIndex: z.number().int(), asset: z.string(), anomalyType: z.string(), priority }).nullable(),
  event: z.enum(deliveryEvents),
  state: z.enum(['waiting', 'held', 'delivered', 'skipped', 'dead']),
  reason: z.string(),
  createdAt: isoTime,
  nextAt: isoTime.nullable(),
  deliveredAt: isoTime.nullable(),
  tookMs: z.number().int().nullable(),
  attempts: z.array(
    z.object({ at: isoTime, status: z.number().int().nullable(), tookMs: z.number().int(), response: z.string() }),
  ),
})
export type ChannelDelivery = z.infer<typeof channelDelivery>

/**
 * `open`: waiting and failed deliveries. `skipped`: deliveries that were skipped or held for a
 * digest.
 */
export const channelDeliveryQuery = z.strictObject({
  show: z.enum(['all', 'open', 'skipped']).optional(),
  before: z.coerce.number().int().positive().optional(),
})
export const redelivery = z.strictObject({
  /** Log index of the alert or outcome. */
  index: z.number().int().min(0),
  /** Redelivers only this message, if there are several about the alert or outcome. */
  event: z.enum(deliveryEvents).optional(),
  /**
   * Also redelivers later messages that failed, or that the rules allowed but that were not sent
   * because the destination was not in the state `on`.
   */
  andLater: z.boolean().optional(),
})
