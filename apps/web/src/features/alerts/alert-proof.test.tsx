import { QueryClientProvider } from '@tanstack/react-query'
import type { Alert } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { fingerprintOf } from '../proof/proof-findings.ts'
import { AlertProof, ProofTag } from './alert-proof.tsx'

const alert = {
  ...{ id: '1', logIndex: 41, treeSize: 42, leafHash: `0x${'16'.repeat(32)}`, root: `0x${'17'.repeat(32)}` },
  ...{ merklePath: [], avalancheTx: `0x${'18'.repeat(32)}` },
  ...{ createdAt: '2026-03-02T14:30:00.688Z', anchoredAt: '2026-03-02T17:30:01.000Z' },
} as unknown as Alert

test.each([
  ['verified', 'Verified', 'Verified in this browser, 6 of 6 checks, node.example'],
  ['time-not-proven', 'Time of issue not proven', 'Time of issue not proven in this browser, node.example'],
  [null, 'Anchored 3 h', 'Not checked here'],
])('ProofTag and AlertProof: with the verdict “%s”, they show “%s” and “%s”', (verdict, tag, sentence) => {
  const client = createQueryClient()
  if (verdict)
    client.setQueryData(['opened-proof', fingerprintOf(alert)], { verdict, host: 'node.example', failure: null })
  const words = (Part: typeof AlertProof) => {
    const part = (
      <QueryClientProvider client={client}>
        <Part alert={alert} />
      </QueryClientProvider>
    )
    return renderToStaticMarkup(part).replace(/<[^>]*>/g, '')
  }
  expect(words(ProofTag)).toContain(tag)
  expect(words(AlertProof)).toContain(sentence)
})
