import { createSiweMessage, parseSiweMessage } from 'viem/siwe'
import { describe, expect, test } from 'vitest'
import { formatChallenge, nameAccount, readNonce } from './wallet-challenge.ts'

const challenge = {
  origin: 'https://tocsin.example:8443',
  address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  chainId: 43114,
  nonce: '00112233445566778899aabbccddeeff',
  purpose: { kind: 'link', account: 'ann@example.com' },
  issuedAt: new Date('2026-01-15T12:00:00.000Z'),
  expiresAt: new Date('2026-01-15T12:10:00.000Z'),
} as const

test('formatChallenge: matches the EIP-4361 message of another implementation', () => {
  const message = formatChallenge(challenge)
  const { statement } = parseSiweMessage(message)
  expect(statement).toContain('ann@example.com')
  const fields = {
    domain: 'tocsin.example:8443',
    uri: challenge.origin,
    address: challenge.address,
    chainId: 43114,
    nonce: challenge.nonce,
    version: '1',
    issuedAt: challenge.issuedAt,
    expirationTime: challenge.expiresAt,
  } as const
  expect(parseSiweMessage(message)).toEqual({ ...fields, statement })
  expect(message).toBe(createSiweMessage({ ...fields, statement: statement ?? '' }))
})

test.each(['http://192.168.1.5:3000', 'http://localhost:3000', 'http://box:3000', 'http://[::1]:3000'])(
  'formatChallenge: supports the origin %s',
  (origin) => {
    expect(formatChallenge({ ...challenge, origin })).toContain(`\nURI: ${origin}\n`)
  },
)

describe('readNonce: returns null for', () => {
  test.each([
    '',
    'Nonce: ',
    'Nonce: short',
    'Nonce: has space in it',
    ' Nonce: 0011223344556677',
    `Nonce: ${'a'.repeat(65)}`,
  ])('%j', (message) => {
    expect(readNonce(message)).toBeNull()
  })
})

test('readNonce: returns the nonce of the message', () => {
  expect(readNonce(formatChallenge(challenge))).toBe(challenge.nonce)
})

test.each([
  ['ann@example.com', 'ann@example.com'],
  ["o'neil+x@example.com", "o'neil+x@example.com"],
  ['jos\u00e9@example.com', 'the-id'],
  ['a{b}@example.com', 'the-id'],
  [null, 'the-id'],
])('nameAccount: names the account with the email address %j as %j', (email, name) => {
  expect(nameAccount({ id: 'the-id', email })).toBe(name)
})
