import { describe, expect, it, vi } from 'vitest'
import vectors from '../../../../../packages/proof/src/vectors/bundles.json'
import { readAlertText } from './claim.ts'
import { completeClaim } from './complete-claim.ts'

describe('completeClaim', () => {
  it('requests the missing fields of a pasted alert from the site, but not those of a proof file', async () => {
    const fetchMock = vi.fn(async () => Response.json({}, { status: 500 }))
    vi.stubGlobal('fetch', fetchMock)
    const { bundle } = vectors
    for (const [text, calls] of [
      [{ ...bundle, alert: { ...bundle.alert, leafHash: undefined } }, 0],
      [{ ...bundle.alert, leafHash: undefined }, 1],
    ] as const) {
      const alertText = readAlertText(JSON.stringify(text))
      if ('problem' in alertText) throw new Error(alertText.problem)
      const claim = { ...alertText, signature: '0x', transaction: '0x' }
      expect(await completeClaim(claim)).toBe(claim)
      expect(fetchMock).toHaveBeenCalledTimes(calls)
    }
    vi.unstubAllGlobals()
  })
})
