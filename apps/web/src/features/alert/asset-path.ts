import { assetRoute } from '../../paths.ts'

/**
 * Returns the path of an asset's page: `BTC/USDT` is `/assets/BTC-USDT`. Hyphens and dots in the
 * name are escaped with a tilde. The server treats a path with an unescaped dot as the path of a
 * file.
 */
export function createAssetPath(asset: string): string {
  const symbol = asset.replace(/[~.-]/g, '~$&').replaceAll('/', '-')
  return assetRoute.replace('$symbol', () => encodeURIComponent(symbol))
}

/** Returns the asset of a page from the parameter of the route. */
export function parseAssetSymbol(symbol: string): string {
  return symbol.replace(/~(.)|-/g, (_, escaped: string | undefined) => escaped ?? '/')
}
