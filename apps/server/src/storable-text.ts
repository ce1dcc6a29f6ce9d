const MAX_CHARACTERS = 500

/**
 * Shortens a text and removes NUL and unpaired surrogates, which PostgreSQL cannot store. Replaces
 * all control characters with spaces.
 */
export function storableText(text: string, maxCharacters = MAX_CHARACTERS): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, maxCharacters)
    .replace(/\p{Cs}/gu, '')
}
