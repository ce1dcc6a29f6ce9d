import { browserStorage } from '../../browser/browser-storage.ts'

/**
 * Reserves space for the price column in lists. Called when a row with a price is rendered, because
 * many feeds contain no prices. The grids of the rows multiply the width of the column by
 * `--priced`, which does not inherit: an inherited property of the root would recalculate the style
 * of the whole page. Remembered, so that public/theme.js can reserve the space before the scripts
 * of the page have loaded.
 */
export function showPriceColumn(): void {
  document.documentElement.dataset.priced = ''
  browserStorage.setItem('priced', '')
}
