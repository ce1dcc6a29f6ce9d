import { describe, expect, it, vi } from 'vitest'
import vectors from '../../../../../packages/proof/src/vectors/bundles.json'
import { readAlertText } from './claim.ts'
import { completeClaim } from './complete-claim.ts'

describe('completeClaim', () => {
  it('requests the missing fields of a pasted alert from the site, but not those of a proof file', async () => {
    const fetchCall = vi.fn(async () => Response.json({}, { status: 500 }))
    vi.stubGlobal('fetch', fetchCall)
    const { bundle } = vectors
    for (const [text, calls] of [
      [{ ...bundle, alert: { ...bundle.alert, leafHash: undefined } }, 0],
      [{ ...bundle.alert, leafHash: undefined }, 1],
    ] as const) {
      const held = readAlertText(JSON.stringify(text))
      if ('problem' in held) throw new Error(held.problem)
      const claim = { ...held, signature: '0x', transaction: '0x' }
      expect(await completeClaim(claim)).toBe(claim)
      expect(fetchCall).toHaveBeenCalledTimes(calls)
    }
    vi.unstubAllGlobals()
  })
})
