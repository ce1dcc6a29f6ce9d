import { lazyLoad } from '../../ui/lazy-load.tsx'
import { loadSchemas } from '../alert/load-schemas.ts'

/** Cells of rows that read the feed's message. */
export const RowPrice = lazyLoad(async () => {
  await loadSchemas()
  return (await import('../market/row-price.tsx')).RowPrice
})
export const RowSparkline = lazyLoad(async () => {
  await loadSchemas()
  return (await import('./row-sparkline.tsx')).RowSparkline
})
