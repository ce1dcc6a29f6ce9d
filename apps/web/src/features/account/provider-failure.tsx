import { Info, ShieldX } from 'lucide-react'
import { Notice } from './notice.tsx'
import { explainProviderError } from './provider-return.ts'

/** Explains why a sign-in with a provider failed, on the page that the user returned to. */
export function ProviderFailure({ code }: { code: string }) {
  const { title, message, isExpected } = explainProviderError(code)
  return (
    <div role={isExpected ? 'status' : 'alert'} className="mb-8">
      <Notice tone={isExpected ? 'neutral' : 'critical'} icon={isExpected ? Info : ShieldX} title={title}>
        {message}
      </Notice>
    </div>
  )
}
