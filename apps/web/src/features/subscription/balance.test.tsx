import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { Balance } from './balance.tsx'

vi.mock('../../wallet/wallet.tsx', () => ({ useWallet: () => ({ status: 'connected' }) }))

test('Balance: never shows more than the wallet has', () => {
  const html = renderToStaticMarkup(<Balance balanceWei={9_999n * 10n ** 15n} />)
  expect(html).toContain('>9.99 ITO<')
})
