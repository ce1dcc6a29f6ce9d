import { type AlertStatement, decodeAlert, encodeAlert } from './alert.ts'
import { readJson } from './canonical-json.ts'
import { decodeHeartbeat, encodeHeartbeat, type HeartbeatStatement } from './heartbeat.ts'
import { decodeKeys, encodeKeys, type KeysStatement } from './keys.ts'
import { decodeSuccession, encodeSuccession, type SuccessionStatement } from './succession.ts'

/** What an entry of the log states. */
export type Statement = AlertStatement | KeysStatement | HeartbeatStatement | SuccessionStatement

/** Alerts, corrections and retractions: what is said about the market. The others are about the log itself and public at once. */
export function isAlertStatement(statement: Statement): statement is AlertStatement {
  return statement.kind === 'alert' || statement.kind === 'correction' || statement.kind === 'retraction'
}

/**
 * The canonical bytes.
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
    default:
      return encodeAlert(statement)
  }
}

/**
 * The statement in canonical bytes.
 * @throws Error on bytes that encodeStatement would not have written
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
    default:
      return decodeAlert(bytes)
  }
}
