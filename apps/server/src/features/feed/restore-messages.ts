import { type Forecast, hashSignal } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import { insertPredictions, listWithoutMessage } from '../alerts/outcome-store.ts'
import { insertSignalMessages } from '../alerts/store.ts'

/**
 * Stores messages that the feed has sent again, for alerts that `log adopt` restored without their
 * messages. The log does not contain messages, but the track record needs them.
 */
export async function restoreMessages(
  ctx: Context,
  repeatedSignals: readonly { raw: string; forecast: Forecast | null }[],
): Promise<void> {
  if (repeatedSignals.length === 0) return
  const byHash = new Map(repeatedSignals.map((repeatedSignal) => [hashSignal(repeatedSignal.raw), repeatedSignal]))
  const alertsWithoutMessage = await listWithoutMessage(ctx.db, [...byHash.keys()])
  if (alertsWithoutMessage.length === 0) return
  const rows = alertsWithoutMessage.flatMap(({ id, logIndex, signalHash }) => {
    const repeatedSignal = byHash.get(signalHash as `0x${string}`)
    return repeatedSignal
      ? [{ alertId: id, logIndex, message: repeatedSignal.raw, forecast: repeatedSignal.forecast }]
      : []
  })
  await ctx.db.transaction(async (tx) => {
    await insertSignalMessages(
      tx,
      rows.map(({ alertId, message }) => ({ alertId, message })),
    )
    await insertPredictions(
      tx,
      rows.flatMap(({ logIndex, forecast }) => (forecast ? { logIndex, forecast } : [])),
    )
  })
}
