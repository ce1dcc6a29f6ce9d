import { createHmac, createPrivateKey, sign } from 'node:crypto'
import type { Secrets } from './secrets.ts'

/**
 * The headers of a message by Standard Webhooks 1.0: `v1` (HMAC-SHA256) with the secret and, during
 * a rotation, the previous one; `v1a` (Ed25519) with the destination's own key.
 */
export function signMessage(
  { secret, signingKey, previous }: Omit<Secrets, 'url'>,
  id: string,
  at: Date,
  body: string,
): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1_000)
  const content = Buffer.from(`${id}.${seconds}.${body}`)
  const secrets = previous && at.getTime() < previous.untilMs ? [secret, previous.secret] : [secret]
  const symmetric = secrets.map((key) => {
    const bytes = Buffer.from(key.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`
  })
  const key = createPrivateKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'pkcs8' })
  const signatures = [...symmetric, `v1a,${sign(null, content, key).toString('base64')}`]
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') }
}
