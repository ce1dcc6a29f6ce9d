// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { store } from '../../browser/stored-json.ts'
import { type PublishedLog, parseStoredTrust, pinTrust, publishedTrust, trustStorageKey } from './trust.ts'
import { useTrust } from './use-trust.ts'

afterEach(() => {
  cleanup()
  localStorage.clear()
})

const config: PublishedLog = {
  anchor: { chainId: 43_114, contract: '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb', rpcUrl: null },
  firstSigner: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
}
const own = { ...publishedTrust(config), firstSigner: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' } as const

/** Stores trust anchors as another tab does when its user enters them. */
const enterInOtherTab = () =>
  store(trustStorageKey, { pin: pinTrust(own, true, new Date('2026-11-21T14:00:00.000Z')), rpcUrl: null })
const readPin = () => parseStoredTrust(JSON.parse(localStorage.getItem(trustStorageKey) ?? 'null')).pin

function openTrust() {
  const { result } = renderHook(() => useTrust(config))
  const pin = () => {
    let pinned: unknown
    act(() => {
      pinned = result.current?.pin()
    })
    return pinned
  }
  return { result, pin }
}

test('useTrust: pins the published trust anchors at the first check', () => {
  const { result, pin } = openTrust()
  expect(pin()).toEqual(publishedTrust(config))
  expect(readPin()).toMatchObject({ firstSigner: config.firstSigner, isOwn: false })
  expect(result.current?.since).not.toBeNull()
})

test('useTrust: keeps and uses the trust anchors that were entered in another tab since the page was opened', () => {
  const { result, pin } = openTrust()
  enterInOtherTab()
  expect(pin()).toEqual(own)
  expect(readPin()).toMatchObject({ firstSigner: own.firstSigner, isOwn: true })
  expect(result.current).toMatchObject({ trust: own, isOwn: true, published: publishedTrust(config) })
})

test('useTrust: follows changes of another tab', () => {
  const { result } = openTrust()
  enterInOtherTab()
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: trustStorageKey })))
  expect(result.current).toMatchObject({ trust: own, isOwn: true })
})
