import type { EngineStatus } from '@tocsin/protocol'
import { Badge } from '../../ui/badge.tsx'
import { formatCount, formatCountOf } from '../../ui/count.ts'
import { Panel } from '../../ui/panel.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { describeMarketState, formatLag, LAG_LIMIT_MS, toNeutralIfSilent } from './engine-texts.ts'

interface EnginePanelProps {
  status: EngineStatus
  isSilent: boolean
}

const rightCellClasses = 'text-right phone:text-left'

/** Lists the markets of the engine, each with its lag and gaps. */
export function EngineMarkets({ status: { markets, sources, leftOut }, isSilent }: EnginePanelProps) {
  return (
    <Panel
      title="Markets"
      flush
      footer={`Lag: from the exchange's time of the newest trade to its arrival. Above ${LAG_LIMIT_MS / 1_000} s a market counts as lagging. A market that catches up may lack trades. A gap that is not filled within 15 s is unfilled, and its minutes raise no alert.`}
    >
      {markets.length === 0 ? (
        <p className="p-5 text-base text-2 phone:p-4">The engine replays a recording and has no live markets.</p>
      ) : (
        <Table caption="Markets of the engine" cards>
          <thead>
            <tr>
              <Th>Market</Th>
              <Th>State</Th>
              <Th className={rightCellClasses}>Lag</Th>
              <Th className={rightCellClasses}>Newest trade</Th>
              <Th className={rightCellClasses}>Trades</Th>
              <Th className={rightCellClasses}>Gaps filled</Th>
              <Th className={rightCellClasses}>Unfilled gaps</Th>
            </tr>
          </thead>
          <tbody>
            {markets.map((market) => (
              <MarketRow
                key={market.market}
                market={market}
                state={toNeutralIfSilent(describeMarketState(market, sources), isSilent)}
              />
            ))}
          </tbody>
        </Table>
      )}
      {leftOut.markets > 0 && (
        <p className="px-5 py-3 text-base text-2 phone:px-4">
          {formatCount(leftOut.markets)} more {leftOut.markets === 1 ? 'is' : 'are'} not shown.
        </p>
      )}
    </Panel>
  )
}

type MarketRowProps = { market: EngineStatus['markets'][number]; state: ReturnType<typeof describeMarketState> }

function MarketRow({ market, state: { tone, words } }: MarketRowProps) {
  return (
    <Tr compact>
      <Td className="wrap-anywhere phone:font-semibold">{market.market}</Td>
      <Td>
        <Badge tone={tone}>{words}</Badge>
      </Td>
      <Td mono label="Lag" className={rightCellClasses}>
        {market.lagMs === null ? '—' : formatLag(market.lagMs)}
      </Td>
      <Td mono label="Newest trade" className={rightCellClasses}>
        {market.newestTradeAt === null ? '—' : <Time at={market.newestTradeAt} />}
      </Td>
      <Td mono label="Trades" className={rightCellClasses}>
        {formatCount(market.trades)}
      </Td>
      <Td mono label="Gaps filled" className={rightCellClasses}>
        {formatCount(market.gapsFilled)}
      </Td>
      <Td mono label="Unfilled gaps" className={rightCellClasses}>
        <span className={market.gapsLost === 0 ? undefined : 'text-medium'}>{formatCount(market.gapsLost)}</span>
      </Td>
    </Tr>
  )
}

/** The connections to exchanges. */
export function EngineSources({ status: { sources }, isSilent }: EnginePanelProps) {
  return (
    <Panel title="Sources" flush>
      {sources.length === 0 ? (
        <p className="p-5 text-base text-2 phone:p-4">
          The engine replays a recording and has no exchange connections.
        </p>
      ) : (
        <ul className="divide-y divide-line-1">
          {sources.map((source) => (
            <SourceRow key={source.venue} source={source} isSilent={isSilent} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function SourceRow({ source, isSilent }: { source: EngineStatus['sources'][number]; isSilent: boolean }) {
  const { venue, state, connections, refused, lastEnd, rejected } = source
  const { tone, words } = toNeutralIfSilent(
    state === 'connected' ? { tone: 'ok', words: 'Connected' } : { tone: 'critical', words: 'Connecting' },
    isSilent,
  )
  return (
    <li className="px-5 py-3 text-base phone:px-4">
      <div className="flex items-center justify-between gap-3">
        <span className="min-w-0 font-semibold wrap-anywhere">{venue}</span>
        <Badge tone={tone}>{words}</Badge>
      </div>
      <p className="text-2">
        {venue === 'simulated'
          ? 'Random trades that the engine makes itself'
          : describeConnections(connections, refused)}
      </p>
      {lastEnd !== null && <p className="wrap-anywhere text-2">Last connection ended: {lastEnd}</p>}
      {rejected !== null && (
        <p className="wrap-anywhere text-medium">The exchange rejected a subscription: {rejected}</p>
      )}
    </li>
  )
}

function describeConnections(connections: number, refused: number): string {
  const connectionsText = formatCountOf(connections, 'connection')
  return `${connectionsText} and ${formatCount(refused)} rejected ${refused === 1 ? 'frame or trade' : 'frames and trades'} since the start`
}
