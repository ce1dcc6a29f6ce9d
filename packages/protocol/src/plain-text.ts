/**
 * True for text that can be stored and signed unchanged: well-formed Unicode (no lone surrogates)
 * without NUL.
 */
export function isPlainText(value: string): boolean {
  return !/\p{Surrogate}/u.test(value) && !value.includes('\0')
}

/**
 * True for text without control characters, line breaks of any kind, and bidirectional embeddings,
 * overrides and isolates.
 */
export function isOneLine(value: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(value)
}

/**
 * True if the text has a visible character: not only spaces, zero-width characters or blank
 * letters.
 */
export function isVisible(value: string): boolean {
  return /[^\p{C}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u.test(value)
}
