import { browserStorage } from '../../browser/browser-storage.ts'

/**
 * Reserves space for the price column in lists. Called when a row with a price is rendered, because
 * many feeds contain no prices. The row grids multiply the column width by the CSS property
 * `--priced`. It does not inherit, because a change of an inherited property on the root element
 * recalculates the style of the whole page. The stored value lets public/theme.js reserve the space
 * before the scripts of the page have loaded.
 */
export function showPriceColumn(): void {
  document.documentElement.dataset.priced = ''
  browserStorage.setItem('priced', '')
}
