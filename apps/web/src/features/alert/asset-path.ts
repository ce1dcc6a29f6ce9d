import { assetRoute } from '../../paths.ts'

/**
 * Path of an asset's page: `BTC/USDT` is `/assets/BTC-USDT`. A tilde marks hyphens of the name, and
 * dots, which would look like the name of a script.
 */
export function assetPath(asset: string): string {
  const symbol = asset.replace(/[~.-]/g, '~$&').replaceAll('/', '-')
  return assetRoute.replace('$symbol', () => encodeURIComponent(symbol))
}

/** The asset of a page, from the parameter of its route. */
export function assetOfSymbol(symbol: string): string {
  return symbol.replace(/~(.)|-/g, (_, kept: string | undefined) => kept ?? '/')
}
