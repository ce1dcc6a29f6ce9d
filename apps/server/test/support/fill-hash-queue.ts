import argon2 from '@node-rs/argon2'
import { vi } from 'vitest'
import type { PasswordHasher } from '../../src/context.ts'

/** Two hashes run at a time, and 200 more can wait. */
const QUEUE_SIZE = 202

/**
 * Starts so many hashes that the hasher refuses further ones as `unavailable`. Returns a function
 * that lets them end.
 */
export function fillHashQueue(passwords: PasswordHasher): () => Promise<void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const hashSpy = vi.spyOn(argon2, 'hash').mockImplementation(async () => {
    await released
    return ''
  })
  const hashes = Promise.all(Array.from({ length: QUEUE_SIZE }, () => passwords.hash('')))
  return async () => {
    release()
    await hashes
    hashSpy.mockRestore()
  }
}
