import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { Balance } from './balance.tsx'

const wallet = vi.hoisted(() => ({ status: 'connected', isCorrectNetwork: true }))
vi.mock('../../wallet/wallet.tsx', () => ({ useWallet: () => wallet }))

test('Balance: rounds the shown balance down', () => {
  const html = renderToStaticMarkup(<Balance balanceWei={9_999n * 10n ** 15n} />)
  expect(html).toContain('>9.99 ITO<')
})

test('Balance: offers “Try again” for an unknown balance only when the wallet is on the payment chain', () => {
  expect(renderToStaticMarkup(<Balance balanceWei={null} />)).toContain('Try again')
  wallet.isCorrectNetwork = false
  expect(renderToStaticMarkup(<Balance balanceWei={null} />)).not.toContain('Try again')
})
