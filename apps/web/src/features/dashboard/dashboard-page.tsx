import { Suspense, useCallback, useId, useState } from 'react'
import { browserStorage } from '../../browser/browser-storage.ts'
import { lazyLoad, waitUntilIdle } from '../../ui/lazy-load.tsx'
import { useMediaQuery } from '../../ui/media-query.ts'
import { useHasWallet } from '../../wallet/use-wallet-state.ts'
import { SampleNotice } from '../alerts/sample-notice.tsx'
import { ConnectGate } from './connect-gate.tsx'
import { DetailPane } from './dashboard-detail.tsx'
import { DashboardSubtitle } from './dashboard-heading.tsx'
import { DashboardList } from './dashboard-list.tsx'
import { PulseStrip } from './pulse-strip.tsx'
import { StatusLine } from './status-line.tsx'
import { waitUntilIdleOrScrolled } from './until-scrolled.ts'
import { useDashboard } from './use-dashboard.ts'
import { WalletStrip } from './wallet-strip.tsx'

/** Parts that the first screen does not need. They load after the alerts, or on scrolling. */
const Cards = lazyLoad(async () => {
  await waitUntilIdleOrScrolled()
  return (await import('./dashboard-cards.tsx')).DashboardCards
})
const Panels = lazyLoad(async () => {
  await waitUntilIdleOrScrolled()
  return (await import('./dashboard-cards.tsx')).DashboardPanels
})
const DetailSheet = lazyLoad(async () => {
  await waitUntilIdle()
  return (await import('./detail-sheet.tsx')).DetailSheet
})

export function DashboardPage() {
  return useHasWallet() ? <Dashboard /> : <ConnectGate />
}

/** The list and the open alert fill the first screen. All other panels are below. */
function Dashboard() {
  const dashboard = useDashboard()
  const isSideBySide = useMediaQuery('(width >= 64rem)')
  const [areCardsOpen, setAreCardsOpen] = useState(() => browserStorage.getItem(cardsKey) === 'open')
  const cardsId = useId()
  const toggleCards = useCallback(() => {
    setAreCardsOpen(!areCardsOpen)
    browserStorage.setItem(cardsKey, areCardsOpen ? 'closed' : 'open')
  }, [areCardsOpen])
  const notices = (
    <div className="shrink-0 *:m-0! *:border-x-0! *:border-t-0! max-lg:*:py-1! lg:*:border-t! lg:*:border-b-0!">
      <WalletStrip />
      {dashboard.isSample && <SampleNotice isShort={!isSideBySide} />}
    </div>
  )
  return (
    <>
      <div data-workspace className="flex flex-col lg:h-[calc(100dvh-48px)] lg:min-h-130">
        <StatusLine isOpen={areCardsOpen} cardsId={cardsId} onToggle={toggleCards} />
        {areCardsOpen && (
          <Suspense fallback={<div id={cardsId} className="min-h-60 shrink-0 border-b border-line-1" />}>
            <Cards
              id={cardsId}
              className="border-b border-line-1 p-4 lg:max-h-[45dvh] lg:shrink-0 lg:overflow-y-auto"
            />
          </Suspense>
        )}
        <PulseStrip
          selectedId={dashboard.linked.id}
          isReady={!dashboard.pages.isPending && !dashboard.isPending}
          listedAlerts={dashboard.newest}
        />
        {!isSideBySide && notices}
        <div className="flex min-h-0 flex-1">
          <DetailPane dashboard={dashboard} isSideBySide={isSideBySide}>
            {(selectedId) => (
              <DashboardList dashboard={dashboard} isSideBySide={isSideBySide} selectedId={selectedId} />
            )}
          </DetailPane>
        </div>
        {isSideBySide && notices}
      </div>
      {!isSideBySide && (
        <Suspense>
          <DetailSheet dashboard={dashboard} />
        </Suspense>
      )}
      <div className="mx-auto grid max-w-[1440px] gap-4 border-t border-line-1 p-6 [contain-intrinsic-block-size:auto_1200px] [content-visibility:auto] phone:px-4 phone:py-5">
        <DashboardSubtitle className="text-body xl:hidden" />
        <Suspense fallback={<div className="min-h-dvh" />}>
          {!areCardsOpen && <Cards id={cardsId} />}
          <Panels selection={dashboard.unfiltered} />
        </Suspense>
      </div>
    </>
  )
}

const cardsKey = 'statusCards'
