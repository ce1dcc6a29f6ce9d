import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { DestinationKind } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import { openSecret, sealSecret } from '../../sealed-secret.ts'

const SECRET_BYTES = 32
/** How long messages are also signed with the previous secret after a rotation. */
const OVERLAP_MS = DAY_MS

const webhookShape = z.strictObject({
  url: z.string(),
  /** `whsec_` and the base64 of the secret. */
  secret: z.string(),
  /** The Ed25519 private key as base64 of PKCS #8. */
  signingKey: z.string(),
  previous: z.strictObject({ secret: z.string(), untilMs: z.number() }).nullable(),
})
/** The parts of a webhook that are stored encrypted. */
export type WebhookSecrets = z.infer<typeof webhookShape>

const addressShape = z.strictObject({ url: z.string(), token: z.string().nullable() })
const chatShape = z.strictObject({ chatId: z.number().int().nullable(), threadId: z.number().int().nullable() })
const pushShape = z.strictObject({ url: z.string(), p256dh: z.string(), auth: z.string() })
const mailShape = z.strictObject({ address: z.string() })
const secretShapes = {
  'web-push': pushShape,
  webhook: webhookShape,
  discord: addressShape,
  slack: addressShape,
  ntfy: addressShape,
  telegram: chatShape,
  email: mailShape,
} satisfies Record<DestinationKind, z.ZodType>
/** The parts of a destination that are stored encrypted, by kind. */
export type SecretsOf<Kind extends DestinationKind> = z.infer<(typeof secretShapes)[Kind]>

export function createSecrets(url: string): WebhookSecrets {
  const { privateKey } = generateKeyPairSync('ed25519')
  const signingKey = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  return { url, secret: createSecret(), signingKey, previous: null }
}

export function rotateSecret(secrets: WebhookSecrets, now: Date): WebhookSecrets & { previous: { untilMs: number } } {
  const untilMs = now.getTime() + OVERLAP_MS
  return { ...secrets, secret: createSecret(), previous: { secret: secrets.secret, untilMs } }
}

function createSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Returns the public key as `whpk_` and the base64 of its 32 bytes. */
export function derivePublicKey({ signingKey }: WebhookSecrets): string {
  const privateKey = createPrivateKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`
}

export function sealSecrets({ appSecret }: Pick<Config, 'appSecret'>, id: string, secrets: object): string {
  return sealSecret(appSecret, formatSecretsAad(id), JSON.stringify(secrets))
}

/** The text that users see if `openSecrets` throws an UnreadableSecretError. */
export const UNREADABLE_SECRETS = 'The stored secrets can’t be read. Add the destination again'

/** @throws UnreadableSecretError */
export function openSecrets<Kind extends DestinationKind>(
  config: SecretsConfig,
  { id, kind, sealed }: { id: string; kind: Kind; sealed: string },
): SecretsOf<Kind> {
  return secretShapes[kind].parse(openSealed(config, id, sealed)) as SecretsOf<Kind>
}

type SecretsConfig = Pick<Config, 'appSecret' | 'appSecretPrevious'>

/** @throws UnreadableSecretError */
export function openSealed(config: SecretsConfig, id: string, sealedText: string): object {
  return JSON.parse(openSecret(config, formatSecretsAad(id), sealedText))
}

/** Returns the additional data for the secrets of a destination, see `sealSecret`. */
export function formatSecretsAad(id: string): string {
  return `destination ${id}`
}
