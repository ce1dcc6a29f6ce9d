const MAX_CHARACTERS = 500

/**
 * Shortens a text, replaces its control characters with spaces, and removes unpaired surrogates.
 * PostgreSQL can store neither NUL nor unpaired surrogates.
 */
export function storableText(text: string, maxCharacters = MAX_CHARACTERS): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, maxCharacters)
    .replace(/\p{Cs}/gu, '')
}
