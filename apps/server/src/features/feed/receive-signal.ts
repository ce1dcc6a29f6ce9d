import { createHash } from 'node:crypto'
import type { Hex } from '@tocsin/proof'
import type { Signal } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'
import { Refusal } from '../../refusal.ts'
import { parseSignal } from './parse-signal.ts'
import { insertRefused } from './store.ts'

/** Makes an alert of a signal and sends it to everybody. The same `signalId` twice makes one. */
export type IssueAlert = (alert: {
  content: Omit<Signal, 'id' | 'observedAt'>
  origin: 'feed'
  signalId: string
  signalHash: Hex
  broadcast: true
}) => Promise<unknown>

const MAX_KEPT_BYTES = 4 * 1024
const ATTEMPTS = 10
const RETRY_MS = 1_000

/**
 * Settles one message: it is an alert, or it was refused and is counted. Nothing is lost to a database that is away for some seconds.
 * @throws what a last attempt threw after `signal` was aborted
 */
export async function receiveSignal(
  ctx: Context,
  issueAlert: IssueAlert,
  raw: string | null,
  signal: AbortSignal,
): Promise<void> {
  const parsed = raw === null ? ({ ok: false, reason: 'Not text' } as const) : parseSignal(raw, ctx.clock.now())
  if (raw === null || !parsed.ok) return refuse(ctx, raw ?? '', parsed.ok ? '' : parsed.reason)
  const { id, observedAt: _observedAt, ...content } = parsed.signal
  const signalHash: Hex = `0x${createHash('sha256').update(raw).digest('hex')}`
  for (let attempt = 1; ; attempt++) {
    try {
      await issueAlert({ content, origin: 'feed', signalId: id, signalHash, broadcast: true })
      return
    } catch (error) {
      if (error instanceof Refusal) return refuse(ctx, raw, error.message)
      if (signal.aborted) throw error
      ctx.logger.error({ err: error, signalId: id, attempt }, 'making an alert of a signal failed')
      if (attempt === ATTEMPTS) return refuse(ctx, raw, 'It could not be stored')
      await pause(RETRY_MS, signal)
    }
  }
}

async function refuse(ctx: Context, raw: string, reason: string): Promise<void> {
  ctx.logger.warn({ reason }, 'signal refused')
  const kept = Buffer.from(raw).subarray(0, MAX_KEPT_BYTES).toString().replaceAll('\0', '\ufffd')
  await insertRefused(ctx.db, kept, reason, ctx.clock.now())
}
