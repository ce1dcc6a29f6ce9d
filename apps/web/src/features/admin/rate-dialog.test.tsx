// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { systemToasts } from '../../ui/toast.tsx'
import { ambiguousNumberMessage } from './ambiguous-number.ts'
import { RateButton } from './rate-dialog.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  for (const { key } of systemToasts.snapshot().shown) systemToasts.close(key)
})

async function saveRate(perIto: string) {
  const savedBodies: unknown[] = []
  vi.stubGlobal('fetch', async (_: string, { body }: RequestInit) => {
    savedBodies.push(JSON.parse(String(body)))
    return Response.json({ message: 'Saved.' })
  })
  const user = userEvent.setup()
  render(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={createQueryClient()}>
        <RateButton rate={null} />
      </QueryClientProvider>
    </ReauthenticationContext>,
  )
  await user.click(screen.getByRole('button', { name: 'Set an exchange rate' }))
  await user.type(screen.getByLabelText('Value of 1 ITO'), perIto)
  await user.click(screen.getByRole('button', { name: 'Save' }))
  return savedBodies
}

test.each(['1,250', '12,500', '1,250,000'])(
  'RateButton: refuses %s, because the comma may be a decimal or a thousands separator',
  async (text) => {
    const savedBodies = await saveRate(text)
    expect(await screen.findByText(ambiguousNumberMessage)).toBeDefined()
    expect(savedBodies).toEqual([])
  },
)

test.each([
  ['1.250', 1.25],
  ['0,125', 0.125],
  ['1250', 1250],
])('RateButton: saves %s as %d', async (text, perIto) => {
  const savedBodies = await saveRate(text)
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(savedBodies).toEqual([{ rate: { currency: 'EUR', perIto } }])
})

test.each([
  [1e-7, '0.0000001', '0.0000001'],
  [1250.5, '1,250.5', '1250.5'],
])('RateButton: shows the rate %d without exponent, on button and in form', async (perIto, buttonText, fieldText) => {
  render(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={createQueryClient()}>
        <RateButton rate={{ currency: 'EUR', perIto, setAt: '2026-11-24T12:00:00.000Z' }} />
      </QueryClientProvider>
    </ReauthenticationContext>,
  )
  await userEvent.setup().click(screen.getByRole('button', { name: `1 ITO = ${buttonText} EUR` }))
  expect(screen.getByLabelText<HTMLInputElement>('Value of 1 ITO').value).toBe(fieldText)
})
