import { useState } from 'react'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import type { ApiCall } from './api-document.ts'
import { type Language, languages, writeSnippet } from './call-snippets.ts'
import { TryIt } from './try-it.tsx'

/** Code snippets of a call, and a form that sends it from this page with this browser's session. */
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
