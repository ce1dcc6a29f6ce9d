import { type AlertStatement, decodeAlert, encodeAlert } from './alert.ts'
import { readJson } from './canonical-json.ts'
import { decodeKeys, encodeKeys, type KeysStatement } from './keys.ts'

/** Whatever an entry of the log says. */
export type Statement = AlertStatement | KeysStatement

/**
 * The canonical bytes.
 * @throws Error when the statement has no canonical form
 */
export function encodeStatement(statement: Statement): Uint8Array {
  return statement.kind === 'keys' ? encodeKeys(statement) : encodeAlert(statement)
}

/**
 * The statement in canonical bytes.
 * @throws Error on bytes that encodeStatement would not have written
 */
export function decodeStatement(bytes: Uint8Array): Statement {
  const value = readJson(bytes)
  const isKeys = typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'keys'
  return isKeys ? decodeKeys(bytes) : decodeAlert(bytes)
}
