import { type AlertStatement, hashLeaf, hashSignal, type OutcomeStatement } from '@tocsin/proof'
import type { Context } from '@tocsin/server/context.ts'
import { buildAlertStatement, createAlertId, noTarget, pickAlertContent } from '@tocsin/server/features/alerts/alert.ts'
import {
  buildOutcomeStatement,
  decideOutcome,
  type OutcomeTarget,
  readOutcomeClaim,
} from '@tocsin/server/features/alerts/outcome.ts'
import { findOutcomeTargets, insertOutcomes, insertPredictions } from '@tocsin/server/features/alerts/outcome-store.ts'
import { insertAlerts, insertDeliveries, insertSignalMessages } from '@tocsin/server/features/alerts/store.ts'
import { parseSignal } from '@tocsin/server/features/feed/parse-signal.ts'
import { appendEntries, type EntryPosition } from '@tocsin/server/features/tlog/append-entries.ts'
import { type Entry, signStatement } from '@tocsin/server/features/tlog/log.ts'
import { getProofDomain } from '@tocsin/server/features/tlog/proof-domain.ts'
import type { PastEntry } from './engine-history.ts'

type Forecast = NonNullable<Extract<ReturnType<typeof parseSignal>, { ok: true }>['forecast']>
type WrittenEntry =
  | { kind: 'alert'; statement: AlertStatement; message: PastEntry; signalId: string; forecast: Forecast | null }
  | { kind: 'outcome'; statement: OutcomeStatement; message: PastEntry }

/**
 * Logs past messages of the feed with the times at which they would have arrived. Applies the same
 * rules as to new messages, but uses one transaction for all of them, because a transaction for
 * each message would be too slow for a thousand past entries.
 * @throws Error if a message is not valid
 */
export async function issuePast(ctx: Context, messages: readonly PastEntry[]): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const hashes = messages.flatMap(({ kind, text }) =>
      kind === 'outcome' ? (readOutcomeClaim(text)?.signalHash ?? []) : [],
    )
    const targets = hashes.length > 0 ? await findOutcomeTargets(tx, hashes) : new Map<string, OutcomeTarget>()
    const pastEntries: WrittenEntry[] = []
    await appendEntries(ctx, tx, async () =>
      messages.map((message) => (position: EntryPosition) => {
        const buildEntry = message.kind === 'signal' ? buildAlert : buildOutcome
        const { entry, ...writtenEntry } = buildEntry(ctx, message, position, targets)
        pastEntries.push(writtenEntry.written)
        return entry
      }),
    )
    const pastAlerts = pastEntries.flatMap((one) => (one.kind === 'alert' ? [one] : []))
    const pastOutcomes = pastEntries.flatMap((one) => (one.kind === 'outcome' ? [one] : []))
    if (pastAlerts.length > 0) {
      const rows = pastAlerts.map(({ statement, signalId, message }) => ({
        statement,
        signalId,
        broadcastAt: new Date(message.at),
      }))
      await insertAlerts(tx, rows)
      const texts = pastAlerts.map(({ statement, message }) => ({ alertId: statement.id, message: message.text }))
      await insertSignalMessages(tx, texts)
      const predictedAlerts = pastAlerts.flatMap(({ statement: { index }, forecast }) =>
        forecast ? { logIndex: index, forecast } : [],
      )
      await insertPredictions(tx, predictedAlerts)
    }
    await insertOutcomes(
      tx,
      pastOutcomes.map(({ statement, message }) => ({ statement, message: message.text })),
    )
    const indexes = pastEntries.map(({ statement }) => statement.index)
    await insertDeliveries(tx, indexes, ctx.clock.now())
  })
}

type EntryBuilder = (
  ctx: Context,
  message: PastEntry,
  position: EntryPosition,
  targets: Map<string, OutcomeTarget>,
) => { entry: Entry; written: WrittenEntry }

/** Signs the alert and adds it to `targets`, so that later outcomes can refer to it. */
const buildAlert: EntryBuilder = (ctx, message, { index, signer, decideTime }, targets) => {
  const { text, at } = message
  const parsed = parseSignal(text, new Date(at), 'demo')
  if (!parsed.ok) throw new Error(`A signal of the past is not valid: ${parsed.reason}`)
  const { signal, forecast } = parsed
  const createdAt = decideTime(new Date(at))
  const signalHash = hashSignal(text)
  const statement = buildAlertStatement(
    { content: pickAlertContent(signal), origin: 'demo', signalHash, broadcast: true },
    noTarget,
    { index, id: createAlertId(createdAt), createdAt, signer },
  )
  const entry = signStatement(statement, getProofDomain(ctx), signer)
  const leafHash = hashLeaf(entry.bytes)
  targets.set(signalHash, {
    logIndex: index,
    leafHash,
    signalHash,
    origin: 'demo',
    isBroadcast: true,
    message: text,
    outcomes: [],
  })
  return { entry, written: { kind: 'alert', statement, message, signalId: signal.id, forecast } }
}

const buildOutcome: EntryBuilder = (ctx, message, { index, signer, decideTime }, targets) => {
  const { text, at } = message
  const decision = decideOutcome(text, targets.get(readOutcomeClaim(text)?.signalHash ?? '') ?? null, new Date(at))
  if (!('newOutcome' in decision)) throw new Error(`An outcome of the past is not valid: ${JSON.stringify(decision)}`)
  const statement = buildOutcomeStatement(decision.newOutcome, { index, createdAt: decideTime(new Date(at)), signer })
  const entry = signStatement(statement, getProofDomain(ctx), signer)
  return { entry, written: { kind: 'outcome', statement, message } }
}
