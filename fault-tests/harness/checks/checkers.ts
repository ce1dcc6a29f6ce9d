import type { Evidence } from '../evidence.ts'
import { checkOutcomesAndDeliveries } from './accounted.ts'
import { checkAcknowledgedAlerts } from './acknowledged.ts'
import { checkStreamDeliveries } from './delivered.ts'
import { checkEntitlement } from './entitlement.ts'
import { checkLog } from './log.ts'
import { checkMails } from './mails.ts'
import { checkProofs } from './proofs.ts'
import { checkReadiness } from './readiness.ts'
import { checkSessions } from './sessions.ts'
import { checkTransfers } from './transfers.ts'

/** Checkers by the claim that each checks. A checker returns a sentence for each violation. */
export const checkers: Record<string, (evidence: Evidence) => string[]> = {
  'acknowledged alerts are in the log once': checkAcknowledgedAlerts,
  'subscribers received each entitled alert once, in order': checkStreamDeliveries,
  'the log matches its anchors': checkLog,
  'the whole log verifies': checkProofs,
  'transfers are credited once or listed': checkTransfers,
  'no content without entitlement': checkEntitlement,
  'no session outlives its end': checkSessions,
  'readiness tells the truth within 5 s': checkReadiness,
  'outcomes and channel deliveries are accounted for': checkOutcomesAndDeliveries,
  'each queued mail was sent once or is listed as failed': checkMails,
}
