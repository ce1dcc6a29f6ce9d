import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSigningKey, testKeys } from '../test/support/test-log.ts'
import { decodeBase64, encodeBase64 } from './base64.ts'
import {
  checkpointPublicKey,
  deriveCheckpointSeed,
  formatCheckpoint,
  parseCheckpoint,
  verifyCheckpoint,
} from './checkpoint.ts'
import { bytesToHex } from './hex.ts'
import { noteVerifierKey, signNote, verifyNote } from './note.ts'

const seed = new Uint8Array(32).fill(5)
const otherSeed = new Uint8Array(32).fill(6)
const name = 'log.example/tocsin'
const root = new Uint8Array(32).map((_, i) => i * 7)
const text = formatCheckpoint({ origin: name, size: 42, root })
const note = signNote(text, { name, seed })
const verifierKey = noteVerifierKey(name, checkpointPublicKey(seed))
const otherKey = noteVerifierKey('other', checkpointPublicKey(otherSeed))
const [, signatureLine = ''] = note.split('\n\n')

/** Creates an Ed25519 private key of OpenSSL from a raw seed. */
function importPrivateKey(bytes: Uint8Array) {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), bytes])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

describe('base64', () => {
  it.each(['A', 'AA', 'AAA', 'AB==', 'AAB=', 'AA=A', 'A===', 'AAAA=', 'AA\n==', ' AAAA', 'AA-_', '====', 'AAAAA==='])(
    'refuses %j',
    (malformed) => {
      expect(() => decodeBase64(malformed)).toThrow('not base64')
    },
  )

  it('matches the output of Node', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
        expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes)
      }),
    )
  })
})

describe('signNote and verifyNote', () => {
  it.each([
    ['no final newline', 'text', name, 'not end with a newline'],
    ['a carriage return', 'a\r\n', name, 'control characters'],
    ['a tab', 'a\tb\n', name, 'control characters'],
    ['a NUL', 'a\0\n', name, 'control characters'],
    ['a lone surrogate', 'a\ud800\n', name, 'control characters'],
    ['no name', 'a\n', '', 'name of the key'],
    ['a space in the name', 'a\n', 'a b', 'name of the key'],
    ['another space in the name', 'a\n', 'a\u00a0b', 'name of the key'],
    ['a plus in the name', 'a\n', 'a+b', 'name of the key'],
  ])('refuse to sign a note with %s', (_, malformed, keyName, message) => {
    expect(() => signNote(malformed, { name: keyName, seed })).toThrow(message)
  })

  it.each([
    ['no signature', text, 'no signatures'],
    ['no empty line', `${text}${signatureLine}`, 'no signatures'],
    ['no final newline', note.slice(0, -1), 'no signatures'],
    ['a carriage return', note.replace('42\n', '42\r\n'), 'control characters'],
    ['a hyphen for the dash', note.replace('— ', '- '), 'malformed signature line'],
    ['text before the dash', note.replace('— ', 'x— '), 'malformed signature line'],
    ['a second space', note.replace(`— ${name} `, `— ${name}  `), 'malformed signature line'],
    ['a space at the end', note.replace(/\n$/, ' \n'), 'malformed signature line'],
    ['an empty signature line', `${note}\n`, 'malformed signature line'],
    ['a signature that is not base64', note.replace(/=*\n$/, '*\n'), 'not base64'],
    ['a signature without padding', note.replace(/=+\n$/, '\n'), 'not base64'],
    ['an empty signature', `${text}\n— ${name} AAAA\n`, 'signature without a key hash'],
    ['too many signatures', note + signatureLine.repeat(100), 'more than 100 signatures'],
  ])('reject a note with %s', (_, malformed, message) => {
    expect(malformed).not.toBe(note)
    expect(() => verifyNote(malformed, [verifierKey])).toThrow(message)
  })

  it.each([
    ['no keys', []],
    ['another key', [otherKey]],
    ['the key under another name', [noteVerifierKey('other', checkpointPublicKey(seed))]],
    ['another key under the name', [noteVerifierKey(name, checkpointPublicKey(otherSeed))]],
  ])('reject a note without a signature of a known key: %s', (_, keys) => {
    expect(() => verifyNote(note, keys)).toThrow('not signed by a known key')
  })

  /** Creates a verifier key with a matching hash for a key of any type and length. */
  function formatVerifierKey(typedKey: Buffer): string {
    const hash = createHash('sha256').update(`${name}\n`).update(typedKey).digest('hex').slice(0, 8)
    return `${name}+${hash}+${typedKey.toString('base64')}`
  }
  const keyBytes = Buffer.from(checkpointPublicKey(seed).slice(2), 'hex')

  it.each([
    ['nothing', ''],
    ['a part before the name', `x+${verifierKey}`],
    ['a newline at the end', `${verifierKey}\n`],
    ['another type and its hash', formatVerifierKey(Buffer.concat([Buffer.of(2), keyBytes]))],
    ['a longer key and its hash', formatVerifierKey(Buffer.concat([Buffer.of(1), keyBytes, Buffer.of(0)]))],
    ['another hash', verifierKey.replace(/\+[0-9a-f]{8}\+/, '+00000000+')],
    ['another name', `x${verifierKey}`],
    ['another type', verifierKey.replace(/^([^+]+\+[0-9a-f]{8}\+A)./, '$1g')],
    ['extra padding', `${verifierKey}=`],
    ['no key', verifierKey.slice(0, -8)],
  ])('reject a verifier key with %s', (_, malformed) => {
    expect(() => verifyNote(note, [verifierKey, malformed])).toThrow(/verifier key|base64/)
  })

  it('reject a note with any byte changed', () => {
    const bytes = Buffer.from(note)
    for (let index = 0; index < bytes.length; index++) {
      const changedNote = Buffer.from(bytes)
      changedNote[index] = (changedNote[index] ?? 0) ^ 1
      expect(() => verifyNote(changedNote.toString(), [verifierKey]), changedNote.toString()).toThrow()
    }
  })

  it('reject a note with a valid and an invalid signature by the same key', () => {
    const wrongSignatureLine = signatureLine.replace(/.(?==*\n$)/, (letter) => (letter === 'A' ? 'Q' : 'A'))
    expect(() => verifyNote(note + wrongSignatureLine, [verifierKey])).toThrow(
      `The note has an invalid signature by ${name}`,
    )
  })

  it('reject a signature of 65 bytes', () => {
    const signature = Buffer.from(signatureLine.split(' ')[2] ?? '', 'base64')
    const longerSignature = Buffer.concat([signature, Buffer.of(0)]).toString('base64')
    expect(() => verifyNote(`${text}\n— ${name} ${longerSignature}\n`, [verifierKey])).toThrow(
      `invalid signature by ${name}`,
    )
  })

  it('reject a public key that is not 32 bytes long', () => {
    expect(() => noteVerifierKey(name, '0x00')).toThrow('The key is not 32 bytes long')
  })

  it('create the same signature and keys as OpenSSL, in the note format of Go', () => {
    const digest = createHash('sha256')
    const publicKey = createPublicKey(importPrivateKey(seed)).export({ format: 'der', type: 'spki' }).subarray(-32)
    const keyHash = digest.update(`${name}\n\x01`).update(publicKey).digest().subarray(0, 4)
    const signature = sign(null, Buffer.from(text), importPrivateKey(seed))
    expect(note).toBe(`${text}\n— ${name} ${Buffer.concat([keyHash, signature]).toString('base64')}\n`)
    expect(checkpointPublicKey(seed)).toBe(bytesToHex(publicKey))
    expect(verifierKey).toBe(
      `${name}+${keyHash.toString('hex')}+${Buffer.concat([Buffer.of(1), publicKey]).toString('base64')}`,
    )
  })

  // The example key and note in the documentation of golang.org/x/mod/sumdb/note.
  it('accept the example note of the Go documentation, and reject it with a changed word', () => {
    const key = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
    const publishedNote =
      'If you think cryptography is the answer to your problem,\n' +
      "then you don't know what your problem is.\n\n" +
      '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'
    expect(verifyNote(publishedNote, [key]).signers).toEqual(['PeterNeumann'])
    expect(() => verifyNote(publishedNote.replace('answer', 'anwser'), [key])).toThrow()
  })

  it('ignore signatures by unknown keys and return all known signers', () => {
    const otherSignatureLine = signNote(text, { name: 'other', seed: otherSeed }).split('\n\n')[1] ?? ''
    const bothSignatureLines = otherSignatureLine + signatureLine
    expect(verifyNote(`${text}\n${bothSignatureLines}`, [verifierKey])).toEqual({ text, signers: [name] })
    expect(verifyNote(`${text}\n${bothSignatureLines}`, [verifierKey, otherKey, verifierKey]).signers).toEqual([
      name,
      'other',
    ])
    expect(verifyNote(`${text}\n— future AAAAAAA=\n${signatureLine}`, [verifierKey]).signers).toEqual([name])
  })

  it('accept empty lines in the text', () => {
    const longNote = signNote('a\n\nb\n', { name, seed })
    expect(verifyNote(longNote, [verifierKey]).text).toBe('a\n\nb\n')
    expect(verifyNote(signNote('\n', { name, seed }), [verifierKey]).text).toBe('\n')
  })

  it('accept 100 signatures', () => {
    expect(verifyNote(note + signatureLine.repeat(99), [verifierKey]).signers).toEqual([name])
  })
})

describe('checkpoints', () => {
  const base64 = encodeBase64(root)

  it.each([
    ['no final newline', text.slice(0, -1), 'does not end with a newline'],
    ['no origin', `\n42\n${base64}\n`, 'no origin'],
    ['no size', `${name}\n\n${base64}\n`, 'not a decimal number'],
    ['a leading zero', `${name}\n042\n${base64}\n`, 'not a decimal number'],
    ['a sign', `${name}\n+42\n${base64}\n`, 'not a decimal number'],
    ['a negative size', `${name}\n-1\n${base64}\n`, 'not a decimal number'],
    ['a fraction', `${name}\n4.2\n${base64}\n`, 'not a decimal number'],
    ['an exponent', `${name}\n4e2\n${base64}\n`, 'not a decimal number'],
    ['hex', `${name}\n0x2a\n${base64}\n`, 'not a decimal number'],
    ['a space', `${name}\n42 \n${base64}\n`, 'not a decimal number'],
    ['2^53', `${name}\n9007199254740992\n${base64}\n`, 'beyond 2^53 - 1'],
    ['no root', `${name}\n42\n`, 'not 32 bytes long'],
    ['a short root', `${name}\n42\n${encodeBase64(root.slice(1))}\n`, 'not 32 bytes long'],
    ['a root without padding', `${name}\n42\n${base64.slice(0, -1)}\n`, 'not base64'],
    ['a root with non-zero unused bits', `${name}\n42\n${base64.replace(/.=$/, 'B=')}\n`, 'not base64'],
    ['a root in hex', `${name}\n42\n${bytesToHex(root)}\n`, 'not base64'],
    ['an empty extension', `${text}\n`, 'empty line'],
  ])('with %s are rejected', (_, malformed, message) => {
    expect(malformed).not.toBe(text)
    expect(() => parseCheckpoint(malformed)).toThrow(message)
  })

  it.each([
    ['an empty origin', { origin: '' }, 'not one line'],
    ['an origin of two lines', { origin: 'a\nb' }, 'not one line'],
    ['a negative size', { size: -1 }, 'not an integer'],
    ['a fraction', { size: 0.5 }, 'not an integer'],
    ['2^53', { size: 2 ** 53 }, 'not an integer'],
    ['a short root', { root: new Uint8Array(31) }, 'not 32 bytes long'],
  ])('are not formatted with %s', (_, change, message) => {
    expect(() => formatCheckpoint({ origin: name, size: 42, root, ...change })).toThrow(message)
  })

  it('round-trip for every size', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (size) => {
        const checkpointText = formatCheckpoint({ origin: name, size, root })
        expect(parseCheckpoint(checkpointText)).toEqual({ origin: name, size, root, extensions: [] })
      }),
    )
    expect(parseCheckpoint(`${text}more\n`).extensions).toEqual(['more'])
  })

  it('are signed by a key derived from the signing key by HKDF (RFC 5869)', () => {
    const [key = new Uint8Array()] = testKeys
    const nodeSeed = hkdfSync('sha256', key, new Uint8Array(), 'tocsin checkpoint key v1', 32)
    expect(deriveCheckpointSeed(key)).toEqual(new Uint8Array(nodeSeed))
    expect(() => deriveCheckpointSeed(new Uint8Array(31))).toThrow('32 bytes')
  })

  it('are verified only with the key that is valid at their tree size', () => {
    const keys = [createSigningKey(0, 0, 42), createSigningKey(1, 42)]
    const [first, second] = testKeys.map(deriveCheckpointSeed)
    const signTestCheckpoint = (size: number, by: Uint8Array = new Uint8Array(32), origin = name) =>
      signNote(formatCheckpoint({ origin, size, root }), { name, seed: by })
    expect(verifyCheckpoint(signTestCheckpoint(41, first), { origin: name, keys })).toEqual({
      origin: name,
      size: 41,
      root,
    })
    expect(verifyCheckpoint(signTestCheckpoint(42, second), { origin: name, keys }).size).toBe(42)
    expect(() => verifyCheckpoint(signTestCheckpoint(42, first), { origin: name, keys })).toThrow('known key')
    expect(() => verifyCheckpoint(signTestCheckpoint(41, second), { origin: name, keys })).toThrow('known key')
    expect(() => verifyCheckpoint(signTestCheckpoint(41, first), { origin: name, keys: [] })).toThrow('known key')
    expect(() => verifyCheckpoint(signTestCheckpoint(41, first, 'another'), { origin: name, keys })).toThrow(
      'another log',
    )
    expect(() => verifyCheckpoint('', { origin: name, keys })).toThrow()
  })
})
