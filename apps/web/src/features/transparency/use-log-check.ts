import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { LogConsistency, PublicConfig } from '@tocsin/protocol'
import { useState } from 'react'
import { ApiError, call } from '../../api/api.ts'
import { readStored, store } from '../../browser/stored-json.ts'
import type { LogCheckResult, LogSnapshot } from '../proof/proof-task.ts'
import { getRpcUrl } from '../proof/rpc-url.ts'
import { useProofWorker } from '../proof/use-proof-worker.ts'
import type { TrustChoice } from '../proof/use-trust.ts'
import { logQueries } from './log-queries.ts'
import { readNote, readSeen, type SeenCheckpoint, seenKeyOf } from './seen-checkpoint.ts'

/** Result of a check with the two checkpoint notes that it compared. */
export interface LogCheck extends LogCheckResult {
  note: string
  seenNote: string | null
}

/** Verifies the current log against the stored checkpoint and the chain. */
export function useLogCheck(config: PublicConfig, choice: TrustChoice) {
  const client = useQueryClient()
  const run = useProofWorker()
  const seenKey = seenKeyOf(choice.trust)
  const [kept, setKept] = useState<{ key: string; seen: SeenCheckpoint | null }>({ key: '', seen: null })
  const seen = kept.key === seenKey ? kept.seen : readSeen(readStored(seenKey))

  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async (): Promise<LogCheck> => {
      const rpcUrl = getRpcUrl(choice.rpcUrl)
      choice.pin()
      const log = await fetchLog(config, seen)
      client.setQueryData(logQueries.checkpoint.queryKey, log.note)
      const checked = await run({ kind: 'checkLog', log, trust: choice.trust, rpcUrl })
      return { ...checked, note: log.note, seenNote: log.seenNote }
    },
    onSuccess: ({ steps, checkpoint, note }) => {
      // Keep the stored checkpoint after a failure: it is the evidence.
      if (!checkpoint || steps.some(({ status }) => status === 'failed')) return
      const next = { note, at: new Date().toISOString() }
      store(seenKey, next)
      setKept({ key: seenKey, seen: next })
    },
  })
  return { check: () => mutate(), found: data ?? null, failure: error && describeError(error), isPending, seen }
}

const notAnswering = 'This site did not answer. What you have checked before stays as it was.'

function describeError(error: Error): string {
  if (error instanceof ApiError) return error.userMessage ?? notAnswering
  return error instanceof TypeError ? notAnswering : error.message
}

/** Fetches the anchor before the note, so that the note is never older than the anchor. */
async function fetchLog(config: PublicConfig, seen: SeenCheckpoint | null): Promise<LogSnapshot> {
  const { anchored: anchor } = await call('logHead')
  const [note, { entries: keys }] = await Promise.all([call('logCheckpoint'), call('logKeys')])
  const size = readNote(note)?.size ?? 0
  const seenNote = seen?.note ?? null
  const seenSize = seenNote === null ? null : (readNote(seenNote)?.size ?? null)
  const [sinceSeen, sinceAnchor] = await Promise.all([
    fetchConsistencyProof(seenSize, size),
    fetchConsistencyProof(anchor?.size ?? null, size),
  ])
  return { origin: config.log.origin, note, keys, seenNote, sinceSeen, anchor, sinceAnchor }
}

/**
 * Fetches a consistency proof. Returns null if none is needed, or if the server has none; the check
 * then fails.
 */
async function fetchConsistencyProof(from: number | null, to: number): Promise<LogConsistency | null> {
  if (from === null || from < 1 || from >= to) return null
  try {
    return await call('logConsistency', { query: { from, to } })
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) return null
    throw error
  }
}
