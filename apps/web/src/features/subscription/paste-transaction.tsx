import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { sentenceOf } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { WalletError } from '../../wallet/wallet-error.ts'
import { useFlow } from './flow-context.ts'
import { parseTransactionInput } from './transaction-input.ts'

/**
 * Form to report a transaction hash, for users who paid outside this page or whose wallet did not
 * return the hash. The server verifies the amount on chain.
 */
export function PasteTransaction({ onDone }: { onDone: () => void }) {
  const { reportHash } = useFlow()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const report = useMutation({ mutationFn: reportHash, onSuccess: onDone })

  function submit(event: FormEvent) {
    event.preventDefault()
    const parsed = parseTransactionInput(text)
    if ('problem' in parsed) return setProblem(parsed.problem)
    setProblem(undefined)
    if (!report.isPending) report.mutate(parsed.hash)
  }

  return (
    <form noValidate onSubmit={submit} className="mt-3 grid gap-3 border-t border-line-1 pt-4">
      <TextField
        mono
        label="Transaction"
        hint="The hash (0x and 64 hexadecimal digits) or a block explorer link. The payment must come from your wallet."
        error={problem ?? (report.error === null ? undefined : errorMessage(report.error))}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          setText(target.value)
          setProblem(undefined)
          report.reset()
        }}
      />
      <div className="grid grid-cols-2 gap-2">
        <Button variant="ghost" onClick={onDone}>
          Back
        </Button>
        <Button type="submit" busy={report.isPending}>
          {report.isPending ? 'Checking…' : 'Check transaction'}
        </Button>
      </div>
    </form>
  )
}

function errorMessage(error: Error): string {
  return error instanceof WalletError ? error.message : sentenceOf(error, 'Failed to create subscription')
}
