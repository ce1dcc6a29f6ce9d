import { createPublicKey, verify } from 'node:crypto'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { createSecrets, derivePublicKey, openSecrets, rotateSecret, sealSecrets } from './secrets.ts'
import { signMessage } from './sign-message.ts'

const secrets = createSecrets('https://example.com/hook')
const at = new Date('2026-11-23T12:00:00.900Z')

test('signMessage: returns the signature of the Standard Webhooks example', () => {
  const headers = signMessage(
    { ...secrets, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    new Date(1_614_265_330_000),
    '{"test": 2432232314}',
  )
  expect(headers['webhook-timestamp']).toBe('1614265330')
  expect(headers['webhook-signature']?.split(' ')[0]).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('signMessage: the published key verifies the v1a signature, but not with another body', () => {
  const headers = signMessage(secrets, 'msg_1', at, '{}')
  const signature = Buffer.from(headers['webhook-signature']?.split(' v1a,')[1] ?? '', 'base64')
  const x = Buffer.from(derivePublicKey(secrets).replace('whpk_', ''), 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const isValid = (body: string) => verify(null, Buffer.from(`msg_1.1795435200.${body}`), key, signature)
  expect([isValid('{"x":1}'), isValid('{}')]).toEqual([false, true])
})

test('signMessage: the public library of Standard Webhooks verifies the message and rejects changed ones', () => {
  const now = new Date()
  const body = '{"type":"alert.created"}'
  const headers = { ...signMessage(secrets, 'msg_1', now, body) }
  const verifyWith = (secret: string, text = body, change: Record<string, string> = {}) =>
    new Webhook(secret).verify(text, { ...headers, ...change })
  expect(verifyWith(secrets.secret)).toEqual({ type: 'alert.created' })
  const rotatedSecrets = rotateSecret(secrets, now)
  Object.assign(headers, signMessage(rotatedSecrets, 'msg_1', now, body))
  for (const { secret } of [secrets, rotatedSecrets]) expect(verifyWith(secret)).toEqual({ type: 'alert.created' })
  const oldHeaders = signMessage(secrets, 'msg_1', new Date(now.getTime() - 6 * MINUTE_MS), body)
  for (const verifyInvalid of [
    () => verifyWith(createSecrets('https://example.com').secret),
    () => verifyWith(secrets.secret, '{"type":"alert.digest"}'),
    () => verifyWith(secrets.secret, body, { 'webhook-id': 'msg_2' }),
    () => verifyWith(secrets.secret, body, { ...oldHeaders }),
  ])
    expect(verifyInvalid).toThrow()
})

test('signMessage: signs with both secrets for 24 hours after a rotation', () => {
  const rotatedSecrets = rotateSecret(secrets, at)
  expect(rotatedSecrets.secret).not.toBe(secrets.secret)
  const oldSignature = signMessage(secrets, 'msg_1', at, '{}')['webhook-signature']?.split(' ')[0]
  const listSignatures = (hours: number) => {
    const time = new Date(at.getTime() + hours * 3_600_000)
    return signMessage(rotatedSecrets, 'msg_1', time, '{}')['webhook-signature']?.split(' ') ?? []
  }
  expect(listSignatures(0)).toHaveLength(3)
  expect(listSignatures(0)[1]).toBe(oldSignature)
  expect(listSignatures(24)).toHaveLength(2)
})

test('secrets: are unreadable for another destination and with another APP_SECRET', () => {
  const config = { appSecret: 'one', appSecretPrevious: null }
  const kind = 'webhook'
  const sealedSecrets = sealSecrets(config, 'a', secrets)
  expect(sealedSecrets).not.toContain('example.com')
  expect(() => openSecrets(config, { id: 'b', kind, sealed: sealedSecrets })).toThrow('can’t be read')
  expect(() => openSecrets({ ...config, appSecret: 'two' }, { id: 'a', kind, sealed: sealedSecrets })).toThrow(
    'can’t be read',
  )
  expect(openSecrets({ appSecret: 'two', appSecretPrevious: 'one' }, { id: 'a', kind, sealed: sealedSecrets })).toEqual(
    secrets,
  )
})
