import { useMutation } from '@tanstack/react-query'
import { decodeReceipt, parseReceiptFile, type ReceiptFile, type ReceiptStatement } from '@tocsin/proof'
import { Cpu } from 'lucide-react'
import { useState } from 'react'
import { sentenceOf } from '../../api.ts'
import { proofTexts } from '../../texts/proof.tsx'
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

const texts = proofTexts.receiptPanel

interface Held {
  file: ReceiptFile
  statement: ReceiptStatement
}

/** A receipt, checked by this browser against the two chains. */
export function ReceiptPanel({ choice, className }: { choice: TrustChoice; className?: string }) {
  const run = useProofWorker()
  const [held, setHeld] = useState<Held | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [paymentNode, setPaymentNode] = useState('')
  const { data, error, isPending, mutate, reset } = useMutation({
    networkMode: 'always',
    mutationFn: ({ file, statement }: Held) => {
      const [rpcUrl, paymentRpcUrl] = [getRpcUrl(choice.rpcUrl), getRpcUrl(paymentNode)]
      choice.pin()
      const { trust } = choice
      return run({ kind: 'verifyReceipt', file, trust, rpcUrl, paymentRpcUrl, paymentChainId: statement.chainId })
    },
  })

  async function take(chosen: File) {
    reset()
    setHeld(null)
    const read = await readProofFile(chosen)
    const receipt = 'problem' in read ? read : readReceipt(read.text)
    if ('problem' in receipt) {
      setProblem(receipt.problem)
      return
    }
    setProblem(null)
    setHeld(receipt)
    setPaymentNode(receipt.file.paymentRpcUrl ?? '')
  }

  return (
    <Panel title={texts.receipt} className={className ?? ''}>
      <FileDrop onFile={(file) => void take(file)}>
        <div className="flex flex-col items-start gap-4">
          <p className="max-w-[72ch] text-base text-2">{texts.whatWasPaid}</p>
          <FileChoice text={texts.openAReceiptOrDrop} onFile={(file) => void take(file)} />
          {problem !== null && (
            <p role="alert" className="text-base text-critical">
              {problem}
            </p>
          )}
          {held && (
            <>
              <ReceiptFacts statement={held.statement} />
              <TextField
                label={texts.nodeOfChain({ chainId: held.statement.chainId })}
                value={paymentNode}
                onChange={({ target }) => setPaymentNode(target.value.trim())}
                placeholder="https://"
                inputMode="url"
                mono
                spellCheck={false}
                autoComplete="off"
                className="w-full max-w-[520px]"
              />
              <Button busy={isPending} onClick={() => mutate(held)}>
                <Cpu aria-hidden size={16} strokeWidth={2.25} />
                {isPending ? texts.checking : texts.checkTheReceipt}
              </Button>
            </>
          )}
          <div role="status" className="w-full empty:hidden">
            {data && <ReceiptVerdict verification={data} />}
            {error && <p className="text-base text-critical">{sentenceOfCheck(error)}</p>}
          </div>
        </div>
      </FileDrop>
    </Panel>
  )
}

function readReceipt(text: string): Held | { problem: string } {
  try {
    const file = parseReceiptFile(JSON.parse(text))
    return { file, statement: decodeReceipt(new TextEncoder().encode(file.bytes)) }
  } catch (error) {
    const why = error instanceof SyntaxError || !(error instanceof Error) ? texts.itIsNotJson : `${error.message}.`
    return { problem: texts.thisFileCantBeUsed({ why }) }
  }
}

function sentenceOfCheck(error: Error): string {
  return error instanceof TypeError ? sentenceOf(error, texts.receiptCouldNotBeChecked) : error.message
}
