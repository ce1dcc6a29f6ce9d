import type { Alert } from '@tocsin/protocol'
import { liveTexts } from '../../texts/live.ts'
import { HrefLink } from '../../ui/href-link.tsx'
import { toast } from '../../ui/toast.tsx'
import { proofHrefOf } from '../alerts/alert-words.ts'
import { announce } from './live-regions.tsx'

const texts = liveTexts.warnOfFailedProof

/** Says of an alert that its proof does not hold, and nothing of its content: that may be anybody's. */
export function warnOfFailedProof({ id, createdAt }: Alert): void {
  const title = texts.alertFailedItsCheck
  const description = texts.whatCameInAsIssued({ createdAt: createdAt.slice(11, 19) })
  announce('assertive', `${title}. ${description}`)
  toast({
    title,
    description,
    variant: 'destructive',
    action: (
      <HrefLink href={proofHrefOf(id)} className="link touch-target">
        {texts.checkProof}
      </HrefLink>
    ),
  })
}
