import type { Alert } from '@tocsin/protocol'
import { Cpu } from 'lucide-react'
import { type SubmitEvent, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { Panel } from '../../ui/panel.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { createClaimDraft } from './alert-choice.ts'
import type { Claim, DraftProblems } from './claim.ts'
import { type Draft, emptyDraft, type ProofFields, parseProofFields, updateFields } from './draft.ts'
import { FileChoice } from './file-choice.tsx'
import { FileDrop } from './file-drop.tsx'
import { loadClaimReader } from './load-claim-reader.ts'
import { readProofFile } from './proof-file.ts'

type VerifyFormProps = {
  chosen: Alert | null
  /** True if the URL names an alert that is not available. */
  isUnknown: boolean
  /** Where a check is running. */
  busy: 'server' | 'browser' | null
  onCheck: (by: 'server' | 'browser', claim: Claim) => void
  /** Called when the alert's text changes. */
  onAlertTextChange: (text: string) => void
  onEdit: () => void
  onChoose: () => void
  onClear: () => void
}

const emptyFields: ProofFields = { signature: '', transaction: '' }

/** Form for one alert. Use the chosen alert's id as React key. */
export function VerifyForm(props: VerifyFormProps) {
  const { chosen, isUnknown, busy, onCheck, onAlertTextChange, onEdit, onChoose, onClear } = props
  const form = useRef<HTMLFormElement>(null)
  const initialDraft = useMemo(() => createClaimDraft(chosen), [chosen])
  // Stores only the edited fields, so that the other fields change when the chosen alert is
  // anchored.
  const [edits, setEdits] = useState<Partial<Draft>>({})
  const draft = { ...initialDraft, ...edits }
  const { alertText } = draft
  const [problems, setProblems] = useState<DraftProblems>({})
  const lastFields = useRef(parseProofFields(alertText) ?? emptyFields)
  useEffect(() => onAlertTextChange(alertText), [alertText, onAlertTextChange])

  /** Changes fields. If the last submission had problems, validates the form again. */
  async function edit(changes: Partial<Draft>) {
    const nextDraft = { ...draft, ...changes }
    setEdits({ ...edits, ...changes })
    if (Object.keys(problems).length === 0) return
    const { readClaim } = await loadClaimReader()
    const claimResult = readClaim(nextDraft)
    setProblems('problems' in claimResult ? claimResult.problems : {})
  }

  function editText(text: string) {
    const currentFields = parseProofFields(text)
    const fields = currentFields ? updateFields(draft, lastFields.current, currentFields) : {}
    if (currentFields) lastFields.current = currentFields
    void edit({ alertText: text, ...fields })
  }

  async function openFile(file: File) {
    const fileContent = await readProofFile(file)
    if ('problem' in fileContent)
      return toast({ title: 'File Not Read', description: fileContent.problem, variant: 'destructive' })
    lastFields.current = parseProofFields(fileContent.text) ?? emptyFields
    void edit({ alertText: fileContent.text, ...lastFields.current })
    onEdit()
  }

  function clear() {
    setEdits(emptyDraft)
    setProblems({})
    lastFields.current = emptyFields
    onClear()
  }

  async function submit(by: 'server' | 'browser') {
    try {
      const { readClaim } = await loadClaimReader()
      const readResult = readClaim(draft)
      if (!('problems' in readResult)) {
        setProblems({})
        return onCheck(by, readResult)
      }
      setProblems(readResult.problems)
      const [firstProblem = ''] = Object.keys(readResult.problems)
      const field = form.current?.elements.namedItem(firstProblem)
      if (field instanceof HTMLElement) field.focus()
      toast({ title: 'Missing Information', description: joinProblems(readResult.problems), variant: 'destructive' })
    } catch (error) {
      toast({ title: 'Verification Error', description: (error as Error).message, variant: 'destructive' })
    }
  }

  function verify(event: SubmitEvent) {
    event.preventDefault()
    void submit('server')
  }

  return (
    <Panel
      title="Verify an alert"
      actions={
        <button type="button" onClick={onChoose} className="link touch-target text-base">
          Choose from my alerts
        </button>
      }
    >
      <FileDrop onFile={(file) => void openFile(file)}>
        <form ref={form} noValidate onSubmit={verify} onChange={onEdit} className="flex flex-col gap-5">
          {isUnknown && (
            <p role="status" className="text-base text-2">
              The linked alert does not exist, or you do not have access to it. Paste the alert here, or choose another.
            </p>
          )}
          <TextareaField
            name="alertText"
            value={alertText}
            onChange={({ target }) => editText(target.value)}
            label="Alert JSON"
            aside={`${formatCount(new TextEncoder().encode(alertText).length)} bytes`}
            error={problems.alertText}
            rows={13}
            mono
            spellCheck={false}
            autoComplete="off"
          />
          <FileChoice
            text="Open a proof file, or drop it here"
            onFile={(file) => void openFile(file)}
            className="-mt-3"
          />
          <TextField
            name="signature"
            value={draft.signature}
            onChange={({ target }) => void edit({ signature: target.value })}
            label="Signature"
            aside="EIP-712"
            error={problems.signature}
            mono
            spellCheck={false}
            autoComplete="off"
          />
          <TextField
            name="transaction"
            value={draft.transaction}
            onChange={({ target }) => void edit({ transaction: target.value })}
            label="Transaction"
            aside="avalancheTx"
            error={problems.transaction}
            mono
            spellCheck={false}
            autoComplete="off"
          />
          <div>
            <div className="flex gap-2">
              <Button type="submit" variant="primary" size="lg" busy={busy === 'server'} className="flex-1">
                {busy === 'server' ? 'Verifying…' : 'Verify alert'}
              </Button>
              <Button size="lg" onClick={clear}>
                Clear
              </Button>
            </div>
            <Button size="lg" busy={busy === 'browser'} onClick={() => void submit('browser')} className="mt-2 w-full">
              <Cpu aria-hidden size={16} strokeWidth={2.25} />
              {busy === 'browser' ? 'Recomputing…' : 'Recompute in this browser'}
            </Button>
            <p className="mt-3 text-hint text-2">
              All three fields are required. Recomputing sends requests only to the chain.
            </p>
          </div>
        </form>
      </FileDrop>
    </Panel>
  )
}

function joinProblems({ alertText, signature, transaction }: DraftProblems): string {
  return `${[alertText, signature, transaction].filter((problem) => problem !== undefined).join('. ')}.`
}
