import type { PublicConfig } from '@tocsin/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createQueryClient } from '../api/queries.ts'
import { systemToasts } from '../ui/toast.tsx'
import { createWalletActions, loadEngine } from './wallet-actions.ts'

const actions = createWalletActions(
  createQueryClient(),
  (act) => act(),
  () => {},
)
const message = 'Ethereum provider or signer not available'

it('connect: throws and shows a toast when the wallet code is not loaded or could not be started', async () => {
  await expect(actions.connect('any')).rejects.toThrow(message)
  const [shown] = systemToasts.snapshot().shown
  expect(shown?.item).toEqual({ title: 'Connection Failed', description: message, variant: 'destructive' })

  // The configuration can be empty. Starting the engine fails before the configuration is read,
  // because this test has no window.
  await expect(loadEngine({} as PublicConfig)).rejects.toThrow()
  await expect(actions.connect('any')).rejects.toThrow(message)
  await expect(actions.disconnect()).rejects.toThrow(message)
})

it('loadEngine: starts the wallet code again when its first start has failed', async () => {
  vi.resetModules()
  const connect = vi.fn(async () => `0x${'ab'.repeat(20)}`)
  const startWallet = vi.fn(async () => ({ connect })).mockRejectedValueOnce(new Error('offline'))
  vi.doMock('./engine.ts', () => ({ startWallet }))
  const module = await import('./wallet-actions.ts')
  await expect(module.loadEngine({} as PublicConfig)).rejects.toThrow('offline')
  await module.loadEngine({} as PublicConfig)
  const engine = await module.getEngine()
  expect(await engine.connect('any')).toBe(`0x${'ab'.repeat(20)}`)
})

describe('the toast of a wallet action', () => {
  const fakeEngine = { connect: vi.fn(), switchNetwork: vi.fn() }

  /** Reloads the module and starts it with the fake wallet engine. */
  async function startWithFakeEngine() {
    vi.resetModules()
    vi.doMock('./engine.ts', () => ({ startWallet: async () => fakeEngine }))
    vi.stubGlobal('location', { hash: '', pathname: '/dashboard', search: '' })
    vi.stubGlobal('history', { state: null, replaceState: vi.fn() })
    const [module, { systemToasts: toasts }] = await Promise.all([
      import('./wallet-actions.ts'),
      import('../ui/toast.tsx'),
    ])
    await module.loadEngine({} as PublicConfig)
    const loaded = module.createWalletActions(
      createQueryClient(),
      (act) => act(),
      () => {},
    )
    return { loaded, newest: () => toasts.snapshot().shown.at(-1)?.item }
  }
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  const errors = async () => await import('./wallet-error.ts')
  const failed = { title: 'Network Switch Failed', variant: 'destructive' }

  it('names the chain after a switch', async () => {
    fakeEngine.switchNetwork.mockResolvedValueOnce(undefined)
    const { loaded, newest } = await startWithFakeEngine()
    await loaded.switchNetwork(137)
    expect(newest()).toEqual({
      title: 'Network Switched',
      description: 'Successfully switched to Polygon (MATIC).',
      variant: 'success',
    })
  })

  it('asks to switch manually when a switch fails without a message of the wallet', async () => {
    const { loaded, newest } = await startWithFakeEngine()
    const { WalletError } = await errors()
    fakeEngine.switchNetwork.mockRejectedValueOnce(new WalletError('other', 'Failed to switch to Optimism'))
    await loaded.switchNetwork(10)
    expect(newest()).toEqual({ ...failed, description: 'Failed to switch to Optimism. Please try manually.' })
  })

  it('says that a connection failed when the wallet rejects it without a message', async () => {
    const { loaded, newest } = await startWithFakeEngine()
    const { WalletError } = await errors()
    fakeEngine.connect.mockRejectedValueOnce(new WalletError('rejected', 'rejected'))
    await expect(loaded.connect('any')).rejects.toThrow()
    expect(newest()).toEqual({
      title: 'Connection Failed',
      description: 'Failed to connect wallet',
      variant: 'destructive',
    })
  })

  it('shows the short address after a connect', async () => {
    fakeEngine.connect.mockResolvedValueOnce(`0x${'ab'.repeat(20)}`)
    const { loaded, newest } = await startWithFakeEngine()
    // Fake the timer that restores the hash of the URL. It would run when the page of this test no
    // longer exists.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    await loaded.connect('any')
    expect(newest()).toEqual({ title: 'Wallet Connected', description: '0xabab…abab', variant: 'success' })
  })
})
