import type { PublicConfig } from '@tocsin/protocol'
import { expect, it } from 'vitest'
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

  // Without a window the engine can't start, so it reads no property of the configuration.
  await expect(loadEngine({} as PublicConfig)).rejects.toThrow()
  await expect(actions.connect('any')).rejects.toThrow(message)
  await expect(actions.disconnect()).rejects.toThrow(message)
})
