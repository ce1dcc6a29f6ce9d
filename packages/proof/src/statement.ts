import { type AlertStatement, decodeAlert, encodeAlert } from './alert.ts'
import { readJson } from './canonical-json.ts'
import { decodeHeartbeat, encodeHeartbeat, type HeartbeatStatement } from './heartbeat.ts'
import { decodeKeys, encodeKeys, type KeysStatement } from './keys.ts'
import { decodeOutcome, encodeOutcome, type OutcomeStatement } from './outcome-entry.ts'
import { decodeSuccession, encodeSuccession, type SuccessionStatement } from './succession.ts'

/** The content of a log entry. */
export type Statement = AlertStatement | OutcomeStatement | KeysStatement | HeartbeatStatement | SuccessionStatement

/**
 * True for alerts, corrections and retractions, which become public after a delay. Outcomes become
 * public together with their alert. The other kinds describe the log itself and are public
 * immediately.
 */
export function isAlertStatement(statement: Statement): statement is AlertStatement {
  return statement.kind === 'alert' || statement.kind === 'correction' || statement.kind === 'retraction'
}

/**
 * Encodes the canonical bytes.
 * @throws Error when the statement has no canonical form
 */
export function encodeStatement(statement: Statement): Uint8Array {
  switch (statement.kind) {
    case 'keys':
      return encodeKeys(statement)
    case 'heartbeat':
      return encodeHeartbeat(statement)
    case 'succession':
      return encodeSuccession(statement)
    case 'outcome':
      return encodeOutcome(statement)
    default:
      return encodeAlert(statement)
  }
}

/**
 * Decodes canonical bytes.
 * @throws Error on bytes that encodeStatement would not produce
 */
export function decodeStatement(bytes: Uint8Array): Statement {
  const value = readJson(bytes)
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
  switch (kind) {
    case 'keys':
      return decodeKeys(bytes)
    case 'heartbeat':
      return decodeHeartbeat(bytes)
    case 'succession':
      return decodeSuccession(bytes)
    case 'outcome':
      return decodeOutcome(bytes, value)
    default:
      return decodeAlert(bytes, value)
  }
}
