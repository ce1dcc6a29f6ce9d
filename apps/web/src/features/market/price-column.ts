/**
 * Reserves the column of prices in lists, when the first row has a price: many feeds name none. The
 * grids of the rows multiply its width by `--priced`, which does not inherit: a property of the
 * root that all elements inherit would recalculate the style of the whole page.
 */
export function showPriceColumn(): void {
  document.documentElement.dataset.priced = ''
}
