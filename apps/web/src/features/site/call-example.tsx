import { useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import type { ApiCall } from './api-document.ts'
import { exampleUrl, type Language, languages, writeSnippet } from './call-snippets.ts'
import { type TriedAnswer, tryCall } from './try-call.ts'

/** The call as code, and a form that makes it from this page with this browser's session. */
export function CallExample({ call }: { call: ApiCall }) {
  const [language, setLanguage] = useState<Language>('curl')
  return (
    <div className="flex min-w-0 flex-col gap-6 lg:sticky lg:top-6 lg:self-start">
      <div>
        <Segmented
          label="Language"
          value={language}
          onChange={setLanguage}
          choices={languages.map((value) => ({ value, label: value }))}
          className="mb-2"
        />
        <CodeBlock code={writeSnippet(language, window.location.origin, call)} copyLabel={`Copy ${language}`} />
      </div>
      <TryIt call={call} />
    </div>
  )
}

function TryIt({ call }: { call: ApiCall }) {
  const headingId = useId()
  const [address, setAddress] = useState(exampleUrl('', call))
  const [body, setBody] = useState(JSON.stringify(call.example.body ?? {}, null, 2))
  const [answer, setAnswer] = useState<TriedAnswer | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const isWrite = call.method !== 'GET'

  async function send() {
    setIsBusy(true)
    setAnswer(await tryCall(call.method, address, isWrite ? body : null))
    setIsBusy(false)
  }

  return (
    <section aria-labelledby={headingId} className="flex flex-col gap-4">
      <h3 id={headingId} className="text-label text-2">
        Try it on this server
      </h3>
      <TextField label="Address" value={address} mono spellCheck={false} onChange={(e) => setAddress(e.target.value)} />
      {isWrite && (
        <TextareaField
          label="Body"
          value={body}
          mono
          rows={6}
          spellCheck={false}
          hint="This is the real server: what you send is done."
          onChange={(event) => setBody(event.target.value)}
        />
      )}
      <div>
        <Button busy={isBusy} onClick={() => void send()}>
          Send {call.method}
        </Button>
      </div>
      <div aria-live="polite">
        {answer && (
          <TextareaField label={answer.status} value={answer.text} mono rows={12} readOnly spellCheck={false} />
        )}
      </div>
    </section>
  )
}
