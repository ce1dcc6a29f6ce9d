import { assetRoute } from '../../paths.ts'

/**
 * Returns the path of an asset's page: `BTC/USDT` is `/assets/BTC-USDT`. A tilde escapes hyphens of
 * the name, and dots, because a path with a dot would look like the name of a script.
 */
export function assetPath(asset: string): string {
  const symbol = asset.replace(/[~.-]/g, '~$&').replaceAll('/', '-')
  return assetRoute.replace('$symbol', () => encodeURIComponent(symbol))
}

/** Returns the asset of a page from the parameter of the route. */
export function assetOfSymbol(symbol: string): string {
  return symbol.replace(/~(.)|-/g, (_, escaped: string | undefined) => escaped ?? '/')
}
