import { expect, test } from 'vitest'
import { createAssetPath, parseAssetSymbol } from './asset-path.ts'

test.each([
  ['BTC/USDT', '/assets/BTC-USDT'],
  ['BTC-USD', '/assets/BTC~-USD'],
  ['A/-B', '/assets/A-~-B'],
  ['app.js', '/assets/app~.js'],
  ['~1.5x', '/assets/~~1~.5x'],
  ['Gold & silver', '/assets/Gold%20%26%20silver'],
  ['..', '/assets/~.~.'],
  ['市場', '/assets/%E5%B8%82%E5%A0%B4'],
])('createAssetPath: the path of %s is %s', (asset, path) => {
  expect(createAssetPath(asset)).toBe(path)
})

test.each(['BTC/USDT', 'BTC-USD', 'A//B', 'A/-B', 'app.js', '~1.5x', '..', '~', 'a~.b', '市場'])(
  'parseAssetSymbol: reads %s back from the path that createAssetPath returns',
  (asset) => {
    expect(parseAssetSymbol(decodeURIComponent(createAssetPath(asset).slice('/assets/'.length)))).toBe(asset)
  },
)
