import { lazyLoad } from '../../ui/lazy-load.tsx'
import { loadSchemas } from '../alert/load-schemas.ts'

/**
 * Cells of a row that need the feed message. Their code is loaded on demand, after the schemas of
 * feed messages.
 */
export const RowPrice = lazyLoad(async () => {
  await loadSchemas()
  return (await import('../market/row-price.tsx')).RowPrice
})
export const RowSparkline = lazyLoad(async () => {
  await loadSchemas()
  return (await import('./row-sparkline.tsx')).RowSparkline
})
