import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares in constant time. Hashes both texts, because `timingSafeEqual` needs equal lengths. */
export function isEqualSecret(givenText: string, expectedText: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(givenText), digest(expectedText))
}
