import { toast } from '../../ui/toast.tsx'
import { stepNames } from './step-names.ts'
import type { CheckedClaim } from './verify-claim.ts'

/** Shows a toast if the check failed, because the panel may be out of view. */
export function toastFailure({ findings: { verdict, steps, failedStep }, checker }: CheckedClaim): void {
  if (verdict !== 'failed') return
  const step = steps[(failedStep ?? 1) - 1]
  toast({
    title: 'Verification Failed',
    description: 'The alert signature could not be verified',
    variant: 'destructive',
    action: step && (
      <p className="text-base text-2">
        Step {failedStep}, {stepNames[step.id]}
        {checker.kind === 'browser' && ', found by this browser'}
      </p>
    ),
  })
}
