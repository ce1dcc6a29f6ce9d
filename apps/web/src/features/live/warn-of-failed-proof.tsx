import type { Alert } from '@tocsin/protocol'
import { liveTexts } from '../../texts/live.ts'
import { HrefLink } from '../../ui/href-link.tsx'
import { toast } from '../../ui/toast.tsx'
import { proofHrefOf } from '../alerts/alert-words.ts'
import { announce } from './live-regions.tsx'

const texts = liveTexts.warnOfFailedProof

/** Warns that an alert's proof failed. Does not show the alert's content, which may be forged. */
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
