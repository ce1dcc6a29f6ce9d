import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { sentenceOf } from '../../api.ts'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { classNames } from '../../ui/class-names.ts'
import { toast } from '../../ui/toast.tsx'
import { findChoice } from './alert-choice.ts'
import { ChecksPanel } from './checks-panel.tsx'
import { ChooseAlertDialog } from './choose-alert-dialog.tsx'
import { LadderPanel } from './ladder-panel.tsx'
import { useChoices } from './use-choices.ts'
import { stepNames } from './verdict.ts'
import { VerdictPanel } from './verdict-panel.tsx'
import { readVerificationSearch } from './verification-search.ts'
import { type Checked, verifyClaim } from './verify-claim.ts'
import { VerifyForm } from './verify-form.tsx'

const unchecked = 'The alert could not be checked. Please try again.'

/** A form for an alert as somebody holds it, and what comes of checking it. The address names a chosen alert. */
export function VerificationPage() {
  const router = useRouter()
  const queryClient = useQueryClient()
  const chosenId = readVerificationSearch(useSearch({ strict: false }))
  const { choices, isPending } = useChoices()
  const chosen = findChoice(choices, chosenId)
  const [isChoosing, setIsChoosing] = useState(false)
  const [isEdited, setIsEdited] = useState(false)
  const verification = useMutation({
    mutationFn: verifyClaim,
    onMutate: () => setIsEdited(false),
    onSuccess: (checked) => {
      toastFailure(checked)
      // A verified alert becomes a line of the account's log.
      void queryClient.invalidateQueries({ queryKey: queries.activity.queryKey })
    },
    onError: (error) =>
      toast({ title: 'Verification Error', description: sentenceOf(error, unchecked), variant: 'destructive' }),
  })

  /** Starts over, with an alert or without. */
  function show(id: string | null) {
    verification.reset()
    setIsEdited(false)
    setIsChoosing(false)
    router.history.push(id === null ? paths.verification : `${paths.verification}?alert=${encodeURIComponent(id)}`)
  }

  const checked = verification.data ?? null
  const failure = verification.error ? sentenceOf(verification.error, unchecked) : null
  const hasOutcome = checked !== null || failure !== null
  return (
    <>
      <h1 className="text-h1">Verification</h1>
      <p className="mt-1 mb-6 text-body text-2">Six checks against the published key and the chain.</p>
      <div className="grid gap-4 md:grid-cols-[minmax(0,432fr)_minmax(0,336fr)] xl:grid-cols-[368px_minmax(0,432fr)_minmax(0,336fr)] xl:grid-rows-[auto_1fr]">
        <div className={classNames('md:max-xl:col-span-2 xl:row-span-2', hasOutcome && 'max-xl:order-last')}>
          <VerifyForm
            key={chosen?.id ?? 'blank'}
            chosen={chosen}
            isUnknown={chosenId !== undefined && !isPending && chosen === null}
            isBusy={verification.isPending}
            onVerify={verification.mutateAsync}
            onEdit={() => setIsEdited(true)}
            onChoose={() => setIsChoosing(true)}
            onClear={() => show(null)}
          />
        </div>
        <VerdictPanel
          checked={checked}
          failure={failure}
          isBusy={verification.isPending}
          isEdited={isEdited}
          className="md:col-span-2"
        />
        <LadderPanel checked={checked} run={verification.submittedAt} className="phone:order-1" />
        <ChecksPanel steps={checked?.answer.steps ?? null} failedStep={checked?.answer.failedStep ?? null} />
      </div>
      <ChooseAlertDialog open={isChoosing} onOpenChange={setIsChoosing} onChoose={show} />
    </>
  )
}

function toastFailure({ answer: { verdict, steps, failedStep } }: Checked): void {
  if (verdict !== 'failed') return
  const step = steps[(failedStep ?? 1) - 1]
  toast({
    title: 'Verification Failed',
    description: 'The alert signature could not be verified',
    variant: 'destructive',
    action: step && (
      <p className="text-base text-2">
        Step {failedStep}, {stepNames[step.id]}
      </p>
    ),
  })
}
