import type { VerifyAlertResponse } from '@tocsin/protocol'
import { proofWordsTexts } from '../../texts/proof-words.ts'

const texts = proofWordsTexts.verdict

type Step = VerifyAlertResponse['steps'][number]

/** In its own file, so that the landing page does not load the rest of `verdict.ts`. */
export const stepNames: Record<Step['id'], string> = {
  payload: texts.payloadHash,
  signature: texts.signature,
  merklePath: texts.merklePath,
  root: texts.rootOnChain,
  transaction: texts.transaction,
  blockTime: texts.blockTime,
}
