import type { Alert } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import type { Context } from '../../context.ts'
import type { IssuedDelivery } from '../../issued-deliveries.ts'
import type { DueChannelDelivery } from './store.ts'
import { createOutgoing } from './write-outgoing.ts'

const config = { http: { publicUrl: 'https://tocsin.example' }, appSecret: 'secret', appSecretPrevious: null }
const alert = {
  ...{ id: 'a-40', logIndex: 40, kind: 'alert', priority: 'critical', asset: 'BTC/USDT', anomalyType: 'Price move' },
  ...{ confidence: 43, summary: 'Price fell 3% in 5 min', createdAt: '2026-03-02T14:30:00.688Z', supersededBy: null },
} as Alert
const step = { destinationId: 'd-1', logIndex: 40, event: 'alert', digestId: null, isEscalation: true }

test.each([
  ['names it as not acknowledged', false, 'Not acknowledged, Critical', true],
  ['makes no statement about the acknowledgement when the owner has requested it', true, 'Critical', undefined],
])('createOutgoing: for a step of an escalation, %s', (_name, isRedelivery, label, isEscalation) => {
  const delivered = [{ alert, logIndex: 40, isOutcome: false }] as IssuedDelivery[]
  const delivery = { ...step, isRedelivery } as DueChannelDelivery
  const { data, message } = createOutgoing({ config } as Context, delivery, delivered)
  expect(message).toMatchObject({ alert: { label } })
  expect((data as { isEscalation?: boolean }).isEscalation).toBe(isEscalation)
})
