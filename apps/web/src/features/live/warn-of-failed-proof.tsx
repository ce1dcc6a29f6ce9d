import type { Alert } from '@tocsin/protocol'
import { HrefLink } from '../../ui/href-link.tsx'
import { toast } from '../../ui/toast.tsx'
import { proofHrefOf } from '../alert/alert-words.ts'
import { announce } from './live-regions.tsx'

/** Warns that an alert's proof failed. Does not show the alert's content, which may be forged. */
export function warnOfFailedProof({ id, createdAt }: Alert): void {
  const title = 'An alert failed its check'
  const description = `What came in as issued at ${createdAt.slice(11, 19)} UTC is not what the log’s key signed. Do not act on it.`
  announce('assertive', `${title}. ${description}`)
  toast({
    title,
    description,
    variant: 'destructive',
    action: (
      <HrefLink href={proofHrefOf(id)} className="link touch-target">
        Check proof
      </HrefLink>
    ),
  })
}
