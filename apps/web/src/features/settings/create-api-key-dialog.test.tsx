// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useRef, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { CreateApiKeyDialog } from './create-api-key-dialog.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** The dialog on a page that asks for reauthentication in a second dialog, as `Guard` does. */
function Page({ onClose }: { onClose: () => void }) {
  const confirm = useRef(() => {})
  const [isAsking, setAsking] = useState(false)
  const askConfirmation = () => {
    setAsking(true)
    return new Promise<void>((resolve) => {
      confirm.current = resolve
    })
  }
  const resolveConfirmation = () => {
    setAsking(false)
    confirm.current()
  }
  return (
    <ReauthenticationContext value={askConfirmation}>
      <CreateApiKeyDialog existing={[]} onClose={onClose} />
      <Dialog open={isAsking} onOpenChange={() => {}} title="Confirm that it is you">
        <button type="button" onClick={resolveConfirmation}>
          Confirm
        </button>
      </Dialog>
    </ReauthenticationContext>
  )
}

test('CreateApiKeyDialog: cannot be closed during creation of the key or until the user confirms that the key is saved', async () => {
  const resolvers: ((response: Response) => void)[] = []
  vi.stubGlobal('fetch', (url: string, { method }: RequestInit) =>
    method === 'POST' && url === '/api/keys'
      ? new Promise<Response>((resolve) => resolvers.push(resolve))
      : Promise.resolve(new Response('', { status: 503 })),
  )
  const onClose = vi.fn()
  const user = userEvent.setup({ pointerEventsCheck: 0 })
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Page onClose={onClose} />
    </QueryClientProvider>,
  )
  const closeInAllWays = async () => {
    await user.keyboard('{Escape}')
    await user.click(document.body)
    await user.click(screen.getByRole('button', { name: 'Close' }))
    const cancel = screen.queryByRole('button', { name: 'Cancel' })
    if (cancel) await user.click(cancel)
    expect(onClose).not.toHaveBeenCalled()
  }
  await user.type(screen.getByLabelText('Name'), 'Desk bot')
  await user.click(screen.getByRole('button', { name: 'Create' }))
  await expect.poll(() => resolvers.length).toBe(1)
  await closeInAllWays()

  const refusal = { success: false, code: 'reauthentication_required', message: 'Confirm.', requestId: 'r' }
  resolvers[0]?.(Response.json(refusal, { status: 403 }))
  await user.click(await screen.findByRole('button', { name: 'Confirm' }))
  await expect.poll(() => resolvers.length).toBe(2)
  await closeInAllWays()

  resolvers[1]?.(Response.json({ secret: 'tcsn_secret' }))
  expect((await screen.findAllByText(/tcsn_secret/)).length).toBeGreaterThan(0)
  await closeInAllWays()
  await user.click(screen.getByRole('button', { name: 'I have saved it' }))
  expect(onClose).toHaveBeenCalledOnce()
})
