import { encodeStatement, isAlertStatement, parseForecast, type RecordAnchor, type RecordEntry } from '@tocsin/proof'
import type { Queryable } from '../../src/db/database.ts'
import { alertOutcomes, alertPredictions, alertSignals, alerts } from '../../src/db/schema/alerts.ts'
import { anchors as anchorTable, logEntries } from '../../src/db/schema/log.ts'

/** Stores entries of a log as the server does, without signatures and tree. */
export async function storeEntries(db: Queryable, entries: readonly RecordEntry[]): Promise<void> {
  for (const { index, leafHash, statement, message } of entries) {
    if (!statement) throw new Error('The server knows all content')
    const createdAt = new Date('createdAt' in statement ? statement.createdAt : 0)
    const bytes = encodeStatement(statement)
    await db
      .insert(logEntries)
      .values({ index, leafHash: Buffer.from(leafHash.slice(2), 'hex'), bytes, signature: '0x', appendedAt: createdAt })
    if (statement.kind === 'outcome') {
      const { targetIndex, verdict, measured, messageHash } = statement
      await db
        .insert(alertOutcomes)
        .values({ logIndex: index, targetIndex, verdict, measured, createdAt, messageHash, message })
    } else if (isAlertStatement(statement)) {
      const id = `${statement.id}-${index}`
      await db.insert(alerts).values({ ...statement, id, logIndex: index, createdAt })
      if (statement.kind !== 'alert' || statement.signalHash === null || message === null) continue
      await db.insert(alertSignals).values({ alertId: id, message })
      const forecast = parseForecast(JSON.parse(message), statement.origin === 'demo' ? 'demo' : 'feed')
      const startsAt = new Date(forecast?.prediction.startsAt ?? 0)
      if (forecast) await db.insert(alertPredictions).values({ logIndex: index, forecast, startsAt })
    }
  }
}

export async function storeAnchor(db: Queryable, { blockAt, ...anchor }: RecordAnchor): Promise<void> {
  const row = { ...anchor, root: Buffer.alloc(32), txHash: anchor.blockHash, blockAt: new Date(blockAt) }
  await db.insert(anchorTable).values(row)
}
