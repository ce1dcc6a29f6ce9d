import { Info, ShieldX } from 'lucide-react'
import { Notice } from './notice.tsx'
import { explainProviderError } from './provider-return.ts'

/**
 * Why a provider could not sign somebody in, above the form or the settings that they came back to.
 */
export function ProviderFailure({ code }: { code: string }) {
  const { title, sentence, isCalm } = explainProviderError(code)
  return (
    <div role={isCalm ? 'status' : 'alert'} className="mb-8">
      <Notice tone={isCalm ? 'neutral' : 'critical'} icon={isCalm ? Info : ShieldX} title={title}>
        {sentence}
      </Notice>
    </div>
  )
}
