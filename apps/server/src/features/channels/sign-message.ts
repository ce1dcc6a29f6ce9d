import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import type { WebhookSecrets } from './secrets.ts'

/**
 * Returns the headers of a message as in Standard Webhooks 1.0. They contain a `v1` signature
 * (HMAC-SHA256) with the secret, a second `v1` signature with the previous secret during a
 * rotation, and a `v1a` signature (Ed25519) with the destination's own key.
 */
export function signMessage(
  { secret, signingKey, previous }: Omit<WebhookSecrets, 'url'>,
  id: string,
  at: Date,
  body: string,
): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1_000)
  const content = Buffer.from(`${id}.${seconds}.${body}`)
  const secrets = previous && at.getTime() < previous.untilMs ? [secret, previous.secret] : [secret]
  const symmetricSignatures = secrets.map((key) => {
    const bytes = Buffer.from(key.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`
  })
  const signatures = [...symmetricSignatures, `v1a,${sign(null, content, parseKey(signingKey)).toString('base64')}`]
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') }
}

/** Cached, because parsing a key takes five times as long as signing with it. */
const parsedKeys = new Map<string, KeyObject>()
const MAX_KEYS = 10_000

function parseKey(text: string): KeyObject {
  const parsedKey = parsedKeys.get(text)
  if (parsedKey) return parsedKey
  const key = createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' })
  if (parsedKeys.size >= MAX_KEYS) parsedKeys.clear()
  parsedKeys.set(text, key)
  return key
}
