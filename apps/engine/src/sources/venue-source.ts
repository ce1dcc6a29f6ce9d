import { formatMarketKey, formatStreamSymbol, type LiveVenue, type Market } from '../market.ts'
import { pause } from '../scheduler.ts'
import { type Connection, connect } from './connection.ts'
import type { Frame, RefusalReason } from './frame.ts'
import { createMarketFeed, type FeedDependencies, type MarketFeed, type MarketStatus } from './market-feed.ts'
import type { RestClient } from './rest-client.ts'
import type { Position } from './trade-sequence.ts'
import type { VenueStream } from './venues.ts'

export interface SourceStatus {
  venue: LiveVenue | 'simulated'
  state: 'connected' | 'connecting'
  connections: number
  /** The reason why the newest connection ended. */
  lastEnd: string | null
  /** The response of the exchange to a subscription that it rejected. */
  rejected: string | null
  /** Number of refused frames that belong to no market, by reason. */
  refused: Partial<Record<RefusalReason, number>>
  markets: MarketStatus[]
}

export interface SourceDependencies extends FeedDependencies {
  signal: AbortSignal
  /** Random number from 0 to 1; replaced in tests. */
  random(): number
  log(message: string, details: Record<string, unknown>): void
}

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000
/** A connection that lasted at least this long resets the delay before reconnecting. */
const STABLE_MS = 60_000

/** The state from which the engine continues. */
export interface ResumedState {
  positions: ReadonlyMap<string, Position>
  /** In milliseconds; 0 if no state was saved. */
  eventTime: number
}

/** Keeps a venue connected and passes its trades to its markets. Ends when the signal aborts. */
export function startVenueSource(
  venue: LiveVenue,
  stream: VenueStream,
  markets: readonly Market[],
  client: RestClient,
  { positions, eventTime }: ResumedState,
  dependencies: SourceDependencies,
) {
  const { nowMs, schedule, signal, random, log } = dependencies
  const feeds = new Map<string, MarketFeed>()
  for (const market of markets) {
    const resumedPosition = positions.get(formatMarketKey(market)) ?? null
    feeds.set(
      formatStreamSymbol(market),
      createMarketFeed(market, stream, client, dependencies, resumedPosition, eventTime),
    )
  }
  const status: Omit<SourceStatus, 'markets'> = {
    venue,
    state: 'connecting',
    connections: 0,
    lastEnd: null,
    rejected: null,
    refused: {},
  }
  const refuse = (reason: RefusalReason) => {
    status.refused[reason] = (status.refused[reason] ?? 0) + 1
  }
  const handleTrades = (frame: Frame & { kind: 'trades' }) => {
    for (const trade of frame.trades) {
      const feed = feeds.get(trade.symbol)
      if (!feed) refuse('other-market')
      else {
        feed.ingest(trade, frame.isSnapshot === true)
        // A trade proves the subscription, even if the exchange does not confirm it.
        feed.subscribed()
      }
    }
    for (const reason of frame.refused) refuse(reason)
  }

  /** Open connections, the newest one last. */
  const openConnections: Connection[] = []
  /** Open connections that receive trades. A replacement is open before it is subscribed. */
  const subscribedConnections = new Set<Connection>()
  const handleText = (text: string, getConnection: () => Connection) => {
    const frame = stream.read(text)
    switch (frame.kind) {
      case 'trades':
        subscribedConnections.add(getConnection())
        return handleTrades(frame)
      case 'newest':
        return feeds.get(frame.symbol)?.noteNewest(frame.number)
      case 'subscribed':
        status.rejected = null
        subscribedConnections.add(getConnection())
        if (getConnection() === openConnections.at(-1))
          for (const oldConnection of openConnections.slice(0, -1)) oldConnection.close('replaced')
        for (const feed of feeds.values()) feed.subscribed()
        return
      case 'rejected':
        status.rejected = frame.message
        return log('the exchange rejected a subscription', { venue, message: frame.message })
      case 'restart':
        return getConnection().close('the exchange asked to reconnect')
      case 'refused':
        return refuse(frame.reason)
      case 'alive':
        return
    }
  }
  const openConnection = (): Connection => {
    const connection: Connection = connect(
      stream,
      [...feeds.keys()],
      {
        onOpen() {
          status.state = 'connected'
          status.connections += 1
        },
        onText: (text) => handleText(text, () => connection),
        onRefused: refuse,
      },
      dependencies,
    )
    openConnections.push(connection)
    void connection.ended.then((reason) => {
      openConnections.splice(openConnections.indexOf(connection), 1)
      subscribedConnections.delete(connection)
      status.lastEnd = reason
      log('a connection to an exchange ended', { venue, reason })
      if (openConnections.length === 0) status.state = 'connecting'
      if (subscribedConnections.size === 0) for (const feed of feeds.values()) feed.disconnected()
    })
    return connection
  }
  /** Resolves when the connection has ended, or when it must be replaced while it is still open. */
  const waitUntilDue = async (connection: Connection): Promise<'ended' | 'due'> => {
    const ended = connection.ended.then(() => 'ended' as const)
    const { replaceAfterMs } = stream
    if (replaceAfterMs === null) return ended
    const pauseController = new AbortController()
    const pauseEnd = pause(replaceAfterMs, schedule, pauseController.signal).then(() => 'due' as const)
    const result = await Promise.race([ended, pauseEnd])
    pauseController.abort()
    return result
  }
  const runConnections = async (): Promise<void> => {
    let delayMs = FIRST_DELAY_MS
    while (!signal.aborted) {
      const startedAtMs = nowMs()
      if ((await waitUntilDue(openConnection())) === 'due') continue
      if (nowMs() - startedAtMs >= STABLE_MS) delayMs = FIRST_DELAY_MS
      // Half of the delay is random, so that many clients do not reconnect at the same moment.
      await pause(delayMs * (0.5 + random() / 2), schedule, signal)
      delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)
    }
  }
  signal.addEventListener('abort', () => {
    for (const connection of [...openConnections]) connection.close('stopped')
  })
  const finished = runConnections()
  return {
    finished,
    /**
     * Returns true if event time may advance to `at` for all markets of the venue. Calls every
     * market, because a market whose missing trades are overdue reports them as lost here.
     */
    advance: (at: number): boolean => [...feeds.values()].map((feed) => feed.advance(at)).every(Boolean),
    status: (): SourceStatus => ({
      ...status,
      refused: { ...status.refused },
      markets: [...feeds.values()].map((feed) => feed.status()),
    }),
  }
}
