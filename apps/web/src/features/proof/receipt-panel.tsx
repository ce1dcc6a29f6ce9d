import { useMutation } from '@tanstack/react-query'
import { decodeReceipt, parseReceiptFile, type ReceiptFile, type ReceiptStatement } from '@tocsin/proof'
import { Cpu } from 'lucide-react'
import { useState } from 'react'
import { sentenceOf } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FileChoice } from './file-choice.tsx'
import { FileDrop } from './file-drop.tsx'
import { readProofFile } from './proof-file.ts'
import { ReceiptFacts } from './receipt-facts.tsx'
import { ReceiptVerdict } from './receipt-verdict.tsx'
import { getRpcUrl } from './rpc-url.ts'
import { useProofWorker } from './use-proof-worker.ts'
import type { TrustChoice } from './use-trust.ts'

interface OpenReceipt {
  file: ReceiptFile
  statement: ReceiptStatement
}

/** Verifies a receipt in this browser against the anchor chain and the payment chain. */
export function ReceiptPanel({ choice, className }: { choice: TrustChoice; className?: string }) {
  const run = useProofWorker()
  const [receipt, setReceipt] = useState<OpenReceipt | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [paymentNode, setPaymentNode] = useState('')
  const { data, error, isPending, mutate, reset } = useMutation({
    networkMode: 'always',
    mutationFn: ({ file, statement }: OpenReceipt) => {
      const [rpcUrl, paymentRpcUrl] = [getRpcUrl(choice.rpcUrl), getRpcUrl(paymentNode)]
      choice.pin()
      const { trust } = choice
      return run({ kind: 'verifyReceipt', file, trust, rpcUrl, paymentRpcUrl, paymentChainId: statement.chainId })
    },
  })

  async function openReceipt(chosen: File) {
    reset()
    setReceipt(null)
    const read = await readProofFile(chosen)
    const parsed = 'problem' in read ? read : readReceipt(read.text)
    if ('problem' in parsed) {
      setProblem(parsed.problem)
      return
    }
    setProblem(null)
    setReceipt(parsed)
    setPaymentNode(parsed.file.paymentRpcUrl ?? '')
  }

  return (
    <Panel title="A receipt" className={className ?? ''}>
      <FileDrop onFile={(file) => void openReceipt(file)}>
        <div className="flex flex-col items-start gap-4">
          <p className="max-w-[72ch] text-base text-2">
            What was paid for which time is signed with the key of the alerts. This browser checks it against the chains
            alone.
          </p>
          <FileChoice text="Open a receipt, or drop it here" onFile={(file) => void openReceipt(file)} />
          {problem !== null && (
            <p role="alert" className="text-base text-critical">
              {problem}
            </p>
          )}
          {receipt && (
            <>
              <ReceiptFacts statement={receipt.statement} />
              <TextField
                label={`Node of chain ${receipt.statement.chainId}, where it was paid`}
                value={paymentNode}
                onChange={({ target }) => setPaymentNode(target.value.trim())}
                placeholder="https://"
                inputMode="url"
                mono
                spellCheck={false}
                autoComplete="off"
                className="w-full max-w-[520px]"
              />
              <Button busy={isPending} onClick={() => mutate(receipt)}>
                <Cpu aria-hidden size={16} strokeWidth={2.25} />
                {isPending ? 'Checking…' : 'Check the receipt'}
              </Button>
            </>
          )}
          <div role="status" className="w-full empty:hidden">
            {data && <ReceiptVerdict verification={data} />}
            {error && <p className="text-base text-critical">{describeError(error)}</p>}
          </div>
        </div>
      </FileDrop>
    </Panel>
  )
}

function readReceipt(text: string): OpenReceipt | { problem: string } {
  try {
    const file = parseReceiptFile(JSON.parse(text))
    return { file, statement: decodeReceipt(new TextEncoder().encode(file.bytes)) }
  } catch (error) {
    const why = error instanceof SyntaxError || !(error instanceof Error) ? 'It is not JSON.' : `${error.message}.`
    return { problem: `This file can’t be used as a receipt. ${why}` }
  }
}

function describeError(error: Error): string {
  return error instanceof TypeError ? sentenceOf(error, 'The receipt could not be checked.') : error.message
}
