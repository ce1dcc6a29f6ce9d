import type { VerifyAlertResponse } from '@tocsin/protocol'
import { proofWordsTexts } from '../../texts/proof-words.ts'

const texts = proofWordsTexts.verdict

type Step = VerifyAlertResponse['steps'][number]

/** In a file of its own, because the landing page shows the names and nothing else of a verdict. */
export const stepNames: Record<Step['id'], string> = {
  payload: texts.payloadHash,
  signature: texts.signature,
  merklePath: texts.merklePath,
  root: texts.rootOnChain,
  transaction: texts.transaction,
  blockTime: texts.blockTime,
}
