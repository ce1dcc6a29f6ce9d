import { expect, test, vi } from 'vitest'
import { NewVersion } from './new-version.ts'

test('NewVersion: offers no reload when the server names the same build or none, or the page has no build', () => {
  const page = new NewVersion('a')
  page.noteServed('a')
  page.noteServed(null)
  expect(page.isReloadOffered()).toBe(false)
  const versionWithoutBuild = new NewVersion(null)
  versionWithoutBuild.noteServed('b')
  expect(versionWithoutBuild.isReloadOffered()).toBe(false)
})

test('NewVersion: offers a reload for another build, and withdraws it when the server is rolled back', () => {
  const page = new NewVersion('a')
  const listener = vi.fn()
  page.subscribe(listener)
  page.noteServed('b')
  expect(page.isReloadOffered()).toBe(true)
  page.noteServed('a')
  expect(page.isReloadOffered()).toBe(false)
  expect(listener).toHaveBeenCalledTimes(2)
})

test('NewVersion: offers no reload until every purchase has ended', () => {
  const page = new NewVersion('a')
  const [endFirst, endSecond] = [page.hold(), page.hold()]
  page.noteServed('b')
  expect(page.isReloadOffered()).toBe(false)
  endFirst()
  endFirst()
  expect(page.isReloadOffered(), 'ending one purchase twice does not end the other').toBe(false)
  endSecond()
  expect(page.isReloadOffered()).toBe(true)
  page.hold()
  expect(page.isReloadOffered(), 'a purchase that begins withdraws the offer').toBe(false)
})
