import { useQuery } from '@tanstack/react-query'
import { hashSignal } from '@tocsin/proof'
import { type Signal, signal } from '@tocsin/protocol/feed'
import { parseJson } from '../prediction/parse-json.ts'
import { alertQueries } from './alert-queries.ts'

/**
 * The feed message that an alert was made from. `proved` means that the message has the hash that
 * the signature of the alert covers; `differs`, that it has another hash.
 */
export type SignalState =
  | { kind: 'pending' }
  | { kind: 'none' }
  | { kind: 'differs' }
  | { kind: 'proved'; signal: Signal }

export type SignalOf = { id: string; createdAt: string; signalHash: string | null }

/**
 * Parsed messages by response, so that the chart and the price of a row share the parsed message.
 */
const signalStates = new WeakMap<object, SignalState>()
const pendingState: SignalState = { kind: 'pending' }
const noneState: SignalState = { kind: 'none' }

export function useSignal({ id, createdAt, signalHash }: SignalOf): SignalState {
  const { data, isLoading } = useQuery({ ...alertQueries.signal(id, createdAt), enabled: signalHash !== null })
  if (!data || signalHash === null) return isLoading ? pendingState : noneState
  const state = signalStates.get(data) ?? readSignal(data.message, signalHash)
  signalStates.set(data, state)
  return state
}

export function readSignal(message: string | null, signalHash: string): SignalState {
  if (message === null) return noneState
  if (hashSignal(message) !== signalHash.toLowerCase()) return { kind: 'differs' }
  const { data } = signal.safeParse(parseJson(message))
  return data ? { kind: 'proved', signal: data } : noneState
}
