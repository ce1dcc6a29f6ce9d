import { useParams } from '@tanstack/react-router'
import type { Alert } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { Suspense, useMemo, useRef, useState } from 'react'
import { formatCount } from '../../ui/count.ts'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { isLocked } from '../alert/alert-texts.ts'
import { parseAssetSymbol } from '../alert/asset-path.ts'
import { WatchButton } from '../alert/watch-button.tsx'
import { AlertList } from '../alerts/alert-list.tsx'
import { formatAlertCount } from '../alerts/count-texts.ts'
import { DensitySwitch } from '../alerts/density-switch.tsx'
import { useAlertPages } from '../alerts/use-alert-pages.ts'
import { useOpenRow } from '../alerts/use-open-row.tsx'
import { useReadAlerts } from '../alerts/use-read-alerts.ts'
import { useCandles } from '../market/candles.ts'
import { computeFiguresSince } from '../market/chart-figures.ts'
import { useVenueMarket, type VenueMarket } from '../market/issue-price.ts'
import { MarketButtons } from '../market/market-buttons.tsx'
import { PriceNow } from '../market/price-now.tsx'
import { formatPrice } from '../market/price-texts.ts'
import { getVenueName } from '../prediction/prediction-names.ts'
import { AssetRecord } from './asset-record.tsx'

const PriceChart = lazyLoad(async () => (await import('../market/price-chart.tsx')).PriceChart)

/** Page of one asset with its alerts, track record and market. */
export function AssetPage() {
  const { symbol = '' } = useParams({ strict: false })
  const asset = parseAssetSymbol(symbol)
  return <Asset key={asset} asset={asset} />
}

function Asset({ asset }: { asset: string }) {
  const selection = useMemo(() => ({ asset }), [asset])
  const reading = useReadAlerts()
  const pages = useAlertPages(selection, reading.opened)
  const newestAlert = pages.entries.map(({ alert }) => alert).find((alert): alert is Alert => !isLocked(alert))
  const venueMarket = useVenueMarket(newestAlert ?? null)
  const total = pages.total && formatAlertCount(pages.total)
  const listRef = useRef<HTMLElement>(null)
  const { openId, onToggle, linkedRow } = useOpenRow(pages, reading)
  return (
    <div className="mx-auto max-w-[1440px]">
      <header className="flex flex-wrap items-center gap-3">
        <h1 dir="auto" className="min-w-0 text-h1 wrap-anywhere">
          {asset}
        </h1>
        {venueMarket && <PriceNow venueMarket={venueMarket} className="text-number-sm" />}
        <span className="ml-auto flex flex-wrap gap-2">
          <WatchButton asset={asset} />
          {venueMarket && <MarketButtons venueMarket={venueMarket} />}
        </span>
      </header>
      <div className="mt-4 grid gap-4 *:min-w-0 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] xl:*:only:col-span-2">
        {venueMarket && <AssetChart venueMarket={venueMarket} />}
        <AssetRecord asset={asset} />
      </div>
      <AlertList
        list={listRef}
        entries={pages.entries}
        state={pages.data ? 'read' : pages.isError ? 'failed' : 'pending'}
        isBusy={pages.isPlaceholderData}
        filter="none"
        count={total ?? ''}
        tools={<DensitySwitch className="max-lg:hidden" />}
        total={pages.hasNextPage ? -1 : pages.entries.length}
        listKey={pages.first?.listKey}
        isMoreComing={pages.hasNextPage && !pages.isFetchNextPageError}
        openId={openId}
        targetId={openId}
        leadingContent={linkedRow}
        newAlertsButton={null}
        footer={<LoadMore query={pages}>{`${formatCount(pages.entries.length)} of ${total ?? ''}`}</LoadMore>}
        onToggle={onToggle}
        onNearEnd={pages.loadNextPage}
        onRetry={() => void pages.refetch()}
        onClear={() => {}}
      />
    </div>
  )
}

const spanDurationsMs = { '1h': HOUR_MS, '6h': 6 * HOUR_MS, '24h': 24 * HOUR_MS }
type Span = keyof typeof spanDurationsMs
const spanWords: Record<Span, string> = { '1h': 'hour', '6h': '6 hours', '24h': '24 hours' }
const stepMs = 10 * MINUTE_MS

/** Chart of the market. Renders nothing if there is no source of candles. */
function AssetChart({ venueMarket }: { venueMarket: VenueMarket }) {
  const [span, setSpan] = useState<Span>('6h')
  const stepCount = useNow((nowMs) => Math.ceil(nowMs / stepMs))
  const range = useMemo(
    () => ({ from: stepCount * stepMs - spanDurationsMs[span], to: stepCount * stepMs }),
    [stepCount, span],
  )
  const candles = useCandles(venueMarket, range)
  if (candles.kind === 'none') return null
  const figures = candles.kind === 'read' ? computeFiguresSince(candles.rows, range.from) : null
  return (
    <Panel
      title="Market"
      detail={`${venueMarket.market} on ${getVenueName(venueMarket.venue)}, 1 min`}
      actions={
        <Segmented
          label="Range"
          value={span}
          onChange={setSpan}
          choices={[
            { value: '1h', label: '1 h' },
            { value: '6h', label: '6 h' },
            { value: '24h', label: '24 h' },
          ]}
        />
      }
    >
      {candles.kind === 'read' ? (
        <figure>
          <figcaption className="mb-2 text-hint text-2">
            <span className="sr-only">
              {`${venueMarket.market} on ${getVenueName(venueMarket.venue)}, one-minute candles of the last ${spanWords[span]}.`}
              {figures &&
                ` High ${formatPrice(figures.high)}, low ${formatPrice(figures.low)}, last close ${formatPrice(figures.last)}.`}
            </span>
            {figures && (
              <span aria-hidden>
                High <span className="text-data text-1">{formatPrice(figures.high)}</span>, low{' '}
                <span className="text-data text-1">{formatPrice(figures.low)}</span>
              </span>
            )}
          </figcaption>
          <Suspense fallback={<div className="h-70" />}>
            <PriceChart
              key={`${venueMarket.venue} ${venueMarket.market} ${span}`}
              rows={candles.rows}
              range={range}
              marks={null}
              markColorClass=""
              className="h-70"
            />
          </Suspense>
        </figure>
      ) : (
        <div className="h-70" />
      )}
    </Panel>
  )
}
