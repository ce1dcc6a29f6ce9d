import '../styles.css'
import { type ProofBundle, parseBundle, type Verification } from '@tocsin/proof'
import type { AlertAt } from '@tocsin/protocol'
import { formatClockLeft, getCountdown, timeLeftLabels } from '../features/prediction/outcome-state.ts'
import { ProofClient } from '../features/proof/proof-client.ts'
import { retryMs } from '../features/proof/retry-ms.ts'
import { getRpcHost } from '../features/proof/rpc-url.ts'
import { readAlertJson } from '../features/shared-alert/alert-element.ts'
import type { ReadablePage } from '../features/shared-alert/alert-view.tsx'
import { embedIds } from '../features/shared-alert/embed-ids.ts'
import { formatClock, formatDateTimeWithZone } from '../ui/format-time.ts'

type EmbedState = {
  seal: 'signed' | 'anchored' | 'failed'
  word: string
  look: string
  where: string
  canRetry?: boolean
}

const verdictLabels: Record<Exclude<Verification['verdict'], 'failed'>, string> = {
  verified: 'Verified',
  'time-not-proven': 'Time of issue not proven',
  'not-anchored': 'Not yet anchored',
  unavailable: 'Cannot check now',
}
const signedStyle = { seal: 'signed', look: 'text-1' } as const
const unavailableState: EmbedState = { ...signedStyle, word: verdictLabels.unavailable, where: '' }

/**
 * Verifies the alert of the frame in the user's browser. It makes no API calls to this site: the
 * data is in the page, and the worker queries only the chain node.
 */
async function verify(bundle: ProofBundle, outcomeHash: string | undefined): Promise<EmbedState> {
  const { anchor, firstSigner } = bundle
  if (anchor.rpcUrl === null) return { ...signedStyle, word: 'Signed', where: 'open the alert to check it' }
  showState({ ...signedStyle, word: 'Checking…', where: '' })
  const domain = { chainId: anchor.chainId, verifyingContract: anchor.contract }
  const client = new ProofClient()
  const task = { kind: 'verify', bundles: [bundle], trust: { firstSigner, domain }, rpcUrl: anchor.rpcUrl } as const
  const { verification } = await client.run(task).finally(() => client.close())
  const { verdict, step, outcomes } = verification
  if (verdict === 'failed')
    return { seal: 'failed', word: `Failed at step ${step ?? 1}`, look: 'text-critical', where: '' }
  if (outcomeHash !== undefined && !outcomes.some(({ statement }) => statement?.messageHash === outcomeHash))
    return { seal: 'failed', word: 'Outcome not signed', look: 'text-critical', where: '' }
  if (verdict === 'unavailable') return { ...unavailableState, canRetry: true }
  const host = getRpcHost(anchor.rpcUrl)
  const nodeName = host === location.host ? 'Tocsin’s own node' : host
  const isVerified = verdict === 'verified'
  return {
    seal: isVerified || verdict === 'time-not-proven' ? 'anchored' : 'signed',
    look: isVerified ? 'text-seal' : 'text-1',
    word: verdictLabels[verdict],
    where: isVerified ? `in your browser, ${nodeName}` : '',
  }
}

const getElement = (id: string) => document.getElementById(id)

function showState({ seal, word, look, where, canRetry = false }: EmbedState): void {
  for (const each of document.querySelectorAll<HTMLElement>(`#${embedIds.seals} > *`)) {
    each.hidden = each.dataset.seal !== seal
  }
  const element = getElement(embedIds.word)
  if (element) element.className = `font-semibold ${look}`
  setText(embedIds.word, word)
  setText(embedIds.checked, word === verdictLabels.verified ? 'signed, unchanged' : '')
  setText(embedIds.where, where)
  const retry = getElement(embedIds.retry)
  if (retry) retry.hidden = !canRetry
}

function setText(id: string, text: string): void {
  const element = getElement(id)
  if (element) element.textContent = text
}

/**
 * Verifies the alert and shows the result. If the verification cannot run, it is retried after a
 * delay, or when the user clicks the retry button.
 */
function verifyWithRetries({ bundle }: ReadablePage): void {
  const parsedBundle = parseBundle(bundle)
  let timer: ReturnType<typeof setTimeout> | undefined
  const check = async () => {
    clearTimeout(timer)
    const state = await verify(parsedBundle, bundle.alert.outcome?.messageHash).catch(() => ({
      ...unavailableState,
      canRetry: true,
    }))
    showState(state)
    if (state.canRetry) timer = setTimeout(() => void check(), retryMs)
  }
  getElement(embedIds.retry)?.addEventListener('click', () => void check())
  void check()
}

/** Counts down to the verdict of an open prediction. */
function startCountdown(prediction: NonNullable<ReadablePage['bundle']['alert']['prediction']>): void {
  if (!getElement(embedIds.countdown)) return
  const tick = () => {
    const { until, secondsLeft } = getCountdown(prediction, Date.now())
    const isDeadlinePassed = until === 'verdict' && secondsLeft === 0
    setText(
      embedIds.countdown,
      isDeadlinePassed ? 'deadline passed' : `${timeLeftLabels[until]} ${formatClockLeft(secondsLeft)}`,
    )
    if (isDeadlinePassed) clearInterval(timer)
  }
  const timer = setInterval(tick, 1_000)
  tick()
}

const style = { timeZone: 'browser', hourCycle: '24' } as const
for (const time of document.querySelectorAll('time')) {
  const format = time.dataset.show === 'clock' ? formatClock : formatDateTimeWithZone
  time.textContent = format(Date.parse(time.dateTime), style)
}
const json = readAlertJson()
// Cast: the data was written by this site's server.
const page = json === null ? null : (JSON.parse(json) as AlertAt)
if (page && page.access !== 'withheld') {
  const { prediction } = page.bundle.alert
  if (prediction) startCountdown(prediction)
  try {
    verifyWithRetries(page)
  } catch {
    // The data has a format that this script does not know, so a retry would not help.
    showState(unavailableState)
  }
}
