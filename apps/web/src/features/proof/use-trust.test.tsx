// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { store } from '../../browser/stored-json.ts'
import { getPublishedTrust, type PublishedLog, parseStoredTrust, pinTrust, trustStorageKey } from './trust.ts'
import { useTrust } from './use-trust.ts'

afterEach(() => {
  cleanup()
  localStorage.clear()
})

const config: PublishedLog = {
  anchor: { chainId: 43_114, contract: '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb', rpcUrl: null },
  firstSigner: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
}
const ownTrust = { ...getPublishedTrust(config), firstSigner: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' } as const

/** Stores trust anchors as another tab does when its user enters them. */
const storeInOtherTab = () =>
  store(trustStorageKey, { pin: pinTrust(ownTrust, true, new Date('2026-11-21T14:00:00.000Z')), rpcUrl: null })
const readPin = () => parseStoredTrust(JSON.parse(localStorage.getItem(trustStorageKey) ?? 'null')).pin

function renderUseTrust() {
  const { result } = renderHook(() => useTrust(config))
  const pin = () => {
    let pinnedValue: unknown
    act(() => {
      pinnedValue = result.current?.pin()
    })
    return pinnedValue
  }
  return { result, pin }
}

test('useTrust: pins the published trust anchors at the first check', () => {
  const { result, pin } = renderUseTrust()
  expect(pin()).toEqual(getPublishedTrust(config))
  expect(readPin()).toMatchObject({ firstSigner: config.firstSigner, isOwn: false })
  expect(result.current?.since).not.toBeNull()
})

test('useTrust: keeps and uses the trust anchors that were entered in another tab since the page was opened', () => {
  const { result, pin } = renderUseTrust()
  storeInOtherTab()
  expect(pin()).toEqual(ownTrust)
  expect(readPin()).toMatchObject({ firstSigner: ownTrust.firstSigner, isOwn: true })
  expect(result.current).toMatchObject({ trust: ownTrust, isOwn: true, published: getPublishedTrust(config) })
})

test('useTrust: applies trust anchors that another tab stores when the storage event arrives', () => {
  const { result } = renderUseTrust()
  storeInOtherTab()
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: trustStorageKey })))
  expect(result.current).toMatchObject({ trust: ownTrust, isOwn: true })
})
