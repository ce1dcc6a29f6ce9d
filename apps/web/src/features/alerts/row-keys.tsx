import type { Alert } from '@tocsin/protocol'
import { type ComponentType, lazy, Suspense } from 'react'
import { HrefLink } from '../../ui/href-link.tsx'
import { createProofHref } from '../alert/alert-texts.ts'
import { useWatchlist } from '../alert/use-watchlist.ts'

const loadMarketKey = async () => (await import('../market/market-buttons.tsx')).MarketShortcutLink
const NoMarket = () => null
/**
 * Does not use `lazyLoad`, which renders a button that reloads the page if the import fails. The
 * button would be hidden here.
 */
const MarketKey = lazy(
  async (): Promise<{ default: ComponentType<{ alert: Alert }> }> => ({
    default: await loadMarketKey().catch(() => NoMarket),
  }),
)

/**
 * Hidden controls of a row. While the row has the focus, the keyboard shortcuts of alerts press
 * these instead of the controls of the open alert. Rows render them when they first get the focus.
 */
export function RowShortcutControls({ alert }: { alert: Alert }) {
  const { toggle } = useWatchlist()
  return (
    <span hidden>
      <button type="button" data-keys="w" onClick={() => toggle(alert.asset)} />
      <HrefLink href={createProofHref(alert.id)} data-keys="v" />
      <Suspense>
        <MarketKey alert={alert} />
      </Suspense>
    </span>
  )
}
