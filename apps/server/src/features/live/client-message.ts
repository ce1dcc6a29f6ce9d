import { type ClientMessage, clientMessage } from '@tocsin/protocol'
import { z } from 'zod'
import { formatIssue } from '../../format-issue.ts'
import { parseJson } from '../../parse-json.ts'

type ParsedMessage =
  | { kind: 'message'; message: ClientMessage }
  | { kind: 'failed-authentication'; reason: string }
  | { kind: 'malformed' }

const authenticateLike = z.object({ type: z.enum(['authenticate', 'auth', 'auth_key']) })

/**
 * Parses a message of a client. Wrong fields in an `authenticate`, `auth` or `auth_key` message are
 * reported to the sender, who can correct them. Any other message outside the protocol is
 * malformed.
 */
export function parseClientMessage(text: string): ParsedMessage {
  const value = parseJson(text)
  const parsed = clientMessage.safeParse(value)
  if (parsed.success) return { kind: 'message', message: parsed.data }
  if (!authenticateLike.safeParse(value).success) return { kind: 'malformed' }
  return { kind: 'failed-authentication', reason: formatIssue(parsed.error) }
}
