import { useMutation } from '@tanstack/react-query'
import type { ReceiptCheckId, ReceiptStatement, ReceiptVerification } from '@tocsin/proof'
import { Check, CircleHelp, Cpu, Minus, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Address } from '../../ui/address.tsx'
import { Button } from '../../ui/button.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time } from '../../ui/time.tsx'
import { formatAmount } from '../../wallet/amount.ts'
import { describeError } from './describe-error.ts'
import { FileChoice } from './file-choice.tsx'
import { FileDrop } from './file-drop.tsx'
import { notLoadedMessage } from './proof-client.ts'
import { readProofFile } from './proof-file.ts'
import type { ParsedReceipt } from './read-receipt.ts'
import { requireRpcUrl } from './rpc-url.ts'
import { useProofWorker } from './use-proof-worker.ts'
import type { TrustSettings } from './use-trust.ts'

/** Verifies a receipt in this browser against the anchor chain and the payment chain. */
export function ReceiptPanel({ choice, className }: { choice: TrustSettings; className?: string }) {
  const runTask = useProofWorker()
  const [receipt, setReceipt] = useState<ParsedReceipt | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [paymentNode, setPaymentNode] = useState('')
  useEffect(() => void loadReader().catch(reportError), [])
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: ({ file, statement }: ParsedReceipt) => {
      const [rpcUrl, paymentRpcUrl] = [requireRpcUrl(choice.rpcUrl), requireRpcUrl(paymentNode)]
      const trust = choice.pin()
      return runTask({ kind: 'verifyReceipt', file, trust, rpcUrl, paymentRpcUrl, paymentChainId: statement.chainId })
    },
  })

  async function openReceipt(chosenFile: File) {
    reset()
    setReceipt(null)
    const fileContent = await readProofFile(chosenFile)
    const receiptResult = 'problem' in fileContent ? fileContent : await readReceipt(fileContent.text)
    if ('problem' in receiptResult) {
      setProblem(receiptResult.problem)
      return
    }
    setProblem(null)
    setReceipt(receiptResult)
    setPaymentNode(receiptResult.file.paymentRpcUrl ?? '')
  }

  return (
    <Panel title="A receipt" className={className ?? ''}>
      <FileDrop onFile={(file) => void openReceipt(file)}>
        <div className="flex flex-col items-start gap-4">
          <p className="max-w-[72ch] text-base text-2">
            A receipt lists payments and the paid period, and is signed with the key that signs alerts. This browser
            checks it and contacts only chain nodes.
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
                label={`Node of chain ${receipt.statement.chainId}, where the payment was made`}
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
            {error && (
              <p className="text-base text-critical">{describeError(error, 'The receipt could not be checked.')}</p>
            )}
          </div>
        </div>
      </FileDrop>
    </Panel>
  )
}

const loadReader = () => import('./read-receipt.ts')

async function readReceipt(text: string): Promise<ParsedReceipt | { problem: string }> {
  try {
    return (await loadReader()).readReceipt(text)
  } catch {
    return { problem: notLoadedMessage }
  }
}

/** The unverified content of a receipt. */
function ReceiptFacts({ statement }: { statement: ReceiptStatement }) {
  const { plan, startsAt, endsAt, payments, treasury } = statement
  return (
    <KeyValueList className="w-full max-w-[520px] border-y border-line-1">
      <KeyValue label="Plan">{plan}</KeyValue>
      <KeyValue label="From">
        <Time at={startsAt} />
      </KeyValue>
      <KeyValue label="To">
        <Time at={endsAt} />
      </KeyValue>
      {payments.map(({ transactionHash, logIndex, amountWei, payer }) => (
        <KeyValue key={`${transactionHash} ${logIndex}`} label={`${formatAmount(BigInt(amountWei), 2)} ITO by`}>
          <Address value={payer} copy />
        </KeyValue>
      ))}
      <KeyValue label="Treasury">
        <Address value={treasury} copy />
      </KeyValue>
    </KeyValueList>
  )
}

const checkTitles: Record<ReceiptCheckId, string> = {
  content: 'Content',
  signature: 'Signature',
  payment: 'Payment',
}
const verdictTexts = {
  verified: { text: 'Verified', tone: 'text-seal' },
  failed: { text: 'Failed', tone: 'text-critical' },
  unavailable: { text: 'Cannot check now', tone: 'text-1' },
} as const
const stepIcons = {
  passed: Check,
  failed: X,
  skipped: Minus,
  pending: CircleHelp,
  unavailable: CircleHelp,
  unproven: CircleHelp,
} as const
const stepTones = {
  passed: 'text-seal',
  failed: 'text-critical',
  skipped: 'text-2',
  pending: 'text-2',
  unavailable: 'text-2',
  unproven: 'text-2',
}

/** The three checks of a receipt and the verdict. */
function ReceiptVerdict({ verification: { verdict, checks } }: { verification: ReceiptVerification }) {
  const { text, tone } = verdictTexts[verdict]
  return (
    <>
      <h3 className={`text-h2 ${tone}`}>{text}</h3>
      <ol className="mt-3 divide-y divide-line-1 border-y border-line-1">
        {checks.map(({ id, status, reason }) => {
          const Icon = stepIcons[status]
          return (
            <li key={id} className="flex gap-3 py-2.5">
              <Icon aria-hidden size={16} strokeWidth={2.25} className={`mt-0.5 shrink-0 ${stepTones[status]}`} />
              <p className="min-w-0 text-base wrap-anywhere">
                <span className="font-medium">{checkTitles[id]}</span>
                <span className="text-2">: {reason}</span>
              </p>
            </li>
          )
        })}
      </ol>
    </>
  )
}
