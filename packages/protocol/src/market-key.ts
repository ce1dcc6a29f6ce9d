/** Age above which a price is shown with its age. */
export const staleAfterMs = 60_000

/**
 * Returns the same key for all spellings of a market: sources say `BTC/USDT`, and predictions use
 * the exchange's symbol (`BTCUSDT`, `BTC-USDT`, Kraken's `XBTUSD`).
 */
export function marketKey({ venue, market }: { venue: string; market: string }): string {
  const symbol = market.replaceAll(/[/-]/g, '')
  return `${venue} ${venue === 'kraken' ? symbol.replaceAll('XBT', 'BTC').replaceAll('XDG', 'DOGE') : symbol}`
}
