/**
 * Reserves the column of prices in lists, when the first row has a price: many feeds name none. The
 * grids of the rows multiply its width by this property.
 */
export function showPriceColumn(): void {
  document.documentElement.style.setProperty('--priced', '1')
}
