import { proofTexts } from '../../texts/proof.tsx'
import { toast } from '../../ui/toast.tsx'
import { stepNames } from './step-names.ts'
import type { Checked } from './verify-claim.ts'

const texts = proofTexts.toastFailure

/** Shows a toast if the check failed, because the panel may be out of view. */
export function toastFailure({ answer: { verdict, steps, failedStep }, by }: Checked): void {
  if (verdict !== 'failed') return
  const step = steps[(failedStep ?? 1) - 1]
  toast({
    title: texts.verificationFailed,
    description: texts.alertSignature,
    variant: 'destructive',
    action: step && (
      <p className="text-base text-2">
        {texts.failedStep({ failedStep, stepNames: stepNames[step.id] })}
        {by.kind === 'browser' && texts.foundByThisBrowser}
      </p>
    ),
  })
}
