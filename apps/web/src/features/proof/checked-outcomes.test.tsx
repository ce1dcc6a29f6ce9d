import { parseBundle, verifyBundle } from '@tocsin/proof'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import vectors from '../../../../../packages/proof/src/vectors/bundles.json'
import { CheckedOutcomes } from './checked-outcomes.tsx'

async function renderVector(name: string): Promise<string> {
  const vector = vectors.others.find((one) => one.name === name)
  const bundle = parseBundle(vector?.bundle)
  const { firstSigner, anchor } = bundle
  const responses = new Map(Object.entries<unknown>(vector?.answers ?? {}))
  const { outcomes } = await verifyBundle(bundle, {
    trust: { firstSigner, domain: { chainId: anchor.chainId, verifyingContract: anchor.contract } },
    rpc: async (method, params) => responses.get(`${method} ${JSON.stringify(params)}`),
  })
  return renderToStaticMarkup(<CheckedOutcomes outcomes={outcomes} />).replace(/<[^>]*>/g, '')
}

test.each([
  ['an alert with an outcome that is anchored 900 seconds later', 'Outcome “Came true”, entry #2: Verified. The log'],
  [
    'an alert with an outcome that is anchored 900.001 seconds later',
    'Outcome “Came true”, entry #2: Time of outcome not proven. The log states this outcome, but its anchor came too late',
  ],
  ['an alert with an outcome of another leaf hash', 'Outcome, entry #2: Failed. The outcome of entry 2'],
  ['an alert with an outcome whose anchor cannot be read', 'Outcome “Came true”, entry #2: Cannot check now.'],
  ['an alert of version 2', ''],
])('CheckedOutcomes: for %s, it shows “%s”', async (name, expected) => {
  const text = await renderVector(name)
  if (expected === '') expect(text).toBe('')
  else expect(text).toContain(expected)
})
