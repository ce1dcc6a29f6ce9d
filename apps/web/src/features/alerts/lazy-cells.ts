import { lazyLoad } from '../../ui/lazy-load.tsx'
import { loadSchemas } from '../alert/load-schemas.ts'

const loadRowCells = () => import('../market/row-cells.tsx')

/**
 * Cells of a row that need the feed message. Their code is loaded on demand, after the schemas of
 * feed messages.
 */
export const RowPrice = lazyLoad(async () => {
  await loadSchemas()
  return (await loadRowCells()).RowPrice
})
export const RowSparkline = lazyLoad(async () => {
  await loadSchemas()
  return (await import('./row-sparkline.tsx')).RowSparkline
})
/** Loaded on demand too, to keep the code that formats amounts out of the first scripts. */
export const ExpectedChange = lazyLoad(async () => (await loadRowCells()).ExpectedChange)
