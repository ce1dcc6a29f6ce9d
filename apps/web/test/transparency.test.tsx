// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { expectText, openPage, signedOut } from './open-page.tsx'

it('/transparency: does not mention last known figures when the log could not be read even once', async () => {
  await openPage('/transparency', signedOut)
  await expectText('The log can’t be read right now.')
  await expectText('Not responding')
  expect(screen.queryByText(/last known/)).toBeNull()
})
