import { expect, test } from 'vitest'
import { findOnlyWallet } from './only-wallet.ts'
import type { WalletState } from './wallet-store.ts'

const wallet = { uid: 'one', name: 'One', icon: null, isRecent: false, isRemote: false }
const otherWallet = { ...wallet, uid: 'two' }

test.each<[string, WalletState['wallets'], WalletState['status'], string | null]>([
  ['null before the discovery', null, 'disconnected', null],
  ['null without a wallet', [], 'disconnected', null],
  ['the wallet when it is alone', [wallet], 'disconnected', 'one'],
  ['null when there is a choice', [wallet, otherWallet], 'disconnected', null],
  ['null when the wallet is on another device', [{ ...wallet, isRemote: true }], 'disconnected', null],
  ['null when a wallet is connected', [wallet], 'connected', null],
  ['null while a connection is being made', [wallet], 'connecting', null],
  ['null while a connection is being restored', [wallet], 'reconnecting', null],
])('findOnlyWallet: returns %s', (_name, wallets, status, expected) => {
  expect(findOnlyWallet({ wallets, status })).toBe(expected)
})
