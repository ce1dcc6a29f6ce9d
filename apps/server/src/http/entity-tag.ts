import { createHash } from 'node:crypto'

/**
 * Returns the ETag of a response. The tag is a hash of the response, so it reveals nothing that the
 * response does not. The tag is weak, because responses are sent in several encodings.
 */
export function createEntityTag(body: string): string {
  return `W/"${createHash('sha256').update(body).digest('base64url')}"`
}

/** Compares an If-None-Match header with a tag (RFC 9110, 13.1.2). */
export function hasTag(header: string | undefined, tag: string): boolean {
  const knownTags = (header ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
  return knownTags.includes(tag.replace(/^W\//, '')) || knownTags.includes('*')
}
