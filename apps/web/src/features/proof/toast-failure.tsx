import { toast } from '../../ui/toast.tsx'
import { stepNames } from './verdict.ts'
import type { Checked } from './verify-claim.ts'

/** Says that a check has failed, in case its panel is out of sight. */
export function toastFailure({ answer: { verdict, steps, failedStep }, by }: Checked): void {
  if (verdict !== 'failed') return
  const step = steps[(failedStep ?? 1) - 1]
  toast({
    title: 'Verification Failed',
    description: 'The alert signature could not be verified',
    variant: 'destructive',
    action: step && (
      <p className="text-base text-2">
        Step {failedStep}, {stepNames[step.id]}
        {by.kind === 'browser' && ', found by this browser'}
      </p>
    ),
  })
}
