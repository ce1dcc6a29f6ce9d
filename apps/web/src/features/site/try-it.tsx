import { useId, useRef, useState } from 'react'
import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { indentJson } from '../proof/proof-file.ts'
import type { ApiCall } from './api-document.ts'
import { createExampleUrl } from './call-snippets.ts'

/**
 * Sends the call from this page with this browser's session. Writes need a confirmation, because
 * they change real data.
 */
export function TryIt({ call }: { call: ApiCall }) {
  const headingId = useId()
  const { user } = useAuth()
  const [address, setAddress] = useState(createExampleUrl('', call))
  const [body, setBody] = useState(JSON.stringify(call.example.body ?? {}, null, 2))
  const [response, setResponse] = useState<TriedResponse | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const [isConfirming, setIsConfirming] = useState(false)
  const sendButton = useRef<HTMLButtonElement>(null)
  const isWrite = call.method !== 'GET'

  async function send() {
    setIsBusy(true)
    setResponse(await tryCall(call.method, address, isWrite ? body : null))
    setIsBusy(false)
    if (isWrite) close()
  }

  function close() {
    setIsConfirming(false)
    sendButton.current?.focus()
  }

  return (
    <section aria-labelledby={headingId} className="flex flex-col gap-4">
      <h3 id={headingId} className="text-label text-2">
        Try it on this server
      </h3>
      <p className="text-base text-2">
        {user ? `Sent as ${user.name}, with this browser’s session.` : 'Sent without a session: you are not signed in.'}
      </p>
      <TextField label="Address" value={address} mono spellCheck={false} onChange={(e) => setAddress(e.target.value)} />
      {isWrite && (
        <TextareaField
          label="Body"
          value={body}
          mono
          rows={6}
          spellCheck={false}
          onChange={(event) => setBody(event.target.value)}
        />
      )}
      <div>
        <Button
          ref={sendButton}
          busy={isBusy && !isConfirming}
          aria-expanded={isWrite ? isConfirming : undefined}
          onClick={() => (isWrite ? setIsConfirming(true) : void send())}
        >
          {`Send ${call.method}`}
        </Button>
      </div>
      {isConfirming && (
        <Confirmation
          method={call.method}
          address={address}
          isBusy={isBusy}
          onConfirm={() => void send()}
          onCancel={close}
        />
      )}
      <div aria-live="polite">
        {response && (
          <TextareaField label={response.status} value={response.text} mono rows={12} readOnly spellCheck={false} />
        )}
      </div>
    </section>
  )
}

interface ConfirmationProps {
  method: string
  address: string
  isBusy: boolean
  onConfirm: () => void
  onCancel: () => void
}

function Confirmation({ method, address, isBusy, onConfirm, onCancel }: ConfirmationProps) {
  const questionId = useId()
  return (
    <div
      role="alertdialog"
      aria-labelledby={questionId}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
      className="border border-l-2 border-line-2 border-l-medium bg-ink-2 p-4"
    >
      <p id={questionId} className="text-body wrap-anywhere">
        This is the real server, not a sandbox. Changes made by {method} {address.split('?')[0]} are permanent.
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button autoFocus variant="primary" busy={isBusy} onClick={onConfirm}>
          {isBusy ? 'Sending…' : 'Send it'}
        </Button>
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  )
}

interface TriedResponse {
  /** Status code and text, or why there was no response. */
  status: string
  text: string
}

/**
 * Calls this server; other origins are rejected. Does not throw: errors are returned as a result.
 */
async function tryCall(method: string, address: string, body: string | null): Promise<TriedResponse> {
  if (!address.startsWith('/api/')) return { status: 'Not sent', text: 'The address must begin with /api/.' }
  if (body !== null && !isJson(body)) return { status: 'Not sent', text: 'The body is not JSON.' }
  try {
    const response = await fetch(address, {
      method,
      redirect: 'manual',
      headers: { 'content-type': 'application/json' },
      ...(body === null ? {} : { body }),
    })
    if (response.type === 'opaqueredirect')
      return { status: 'Redirect', text: 'Open this address in the browser itself.' }
    return { status: `${response.status} ${response.statusText}`.trim(), text: indentJson(await response.text()) }
  } catch {
    return { status: 'No response', text: 'The server could not be reached.' }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
