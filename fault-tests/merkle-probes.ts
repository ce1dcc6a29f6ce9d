import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyConsistency, verifyInclusion } from '@tocsin/proof'

/**
 * Runs the verifiers over the inclusion and consistency probes of transparency-dev/merkle
 * (testdata/), which are not part of this repository: `node --import tsx
 * fault-tests/merkle-probes.ts <folder>`. The folder holds inclusion_probes.json and
 * consistency_probes.json, each {probes: [...]} with the probes' own field names.
 */

interface Probe {
  desc: string
  wantErr: boolean
  proof: string[] | null
}
type InclusionProbe = Probe & { leafIdx: number; treeSize: number; root: string; leafHash: string }
type ConsistencyProbe = Probe & { size1: number; size2: number; root1: string; root2: string }

const fromBase64 = (text: string | null) => Uint8Array.from(Buffer.from(text ?? '', 'base64'))

function readProbes<Kind>(folder: string, file: string): Kind[] {
  return JSON.parse(readFileSync(join(folder, file), 'utf8')).probes
}

function isIncluded(probe: InclusionProbe): boolean {
  return verifyInclusion({
    leafHash: fromBase64(probe.leafHash),
    index: probe.leafIdx,
    size: probe.treeSize,
    path: (probe.proof ?? []).map(fromBase64),
    root: fromBase64(probe.root),
  })
}

function isConsistent(probe: ConsistencyProbe): boolean {
  return verifyConsistency({
    oldSize: probe.size1,
    newSize: probe.size2,
    oldRoot: fromBase64(probe.root1),
    newRoot: fromBase64(probe.root2),
    path: (probe.proof ?? []).map(fromBase64),
  })
}

function report<Kind extends Probe>(name: string, probes: Kind[], accepts: (probe: Kind) => boolean): number {
  const wrong = probes.filter((probe) => accepts(probe) === probe.wantErr)
  for (const { desc, wantErr } of wrong)
    console.error(`${name}: "${desc}" should be ${wantErr ? 'refused' : 'accepted'}`)
  console.log(`${name}: ${probes.length - wrong.length} of ${probes.length} as expected`)
  return wrong.length
}

const folder = process.argv[2]
if (!folder) throw new Error('Usage: merkle-probes.ts <folder>')
const wrongCount =
  report('inclusion', readProbes<InclusionProbe>(folder, 'inclusion_probes.json'), isIncluded) +
  report('consistency', readProbes<ConsistencyProbe>(folder, 'consistency_probes.json'), isConsistent)
process.exitCode = wrongCount === 0 ? 0 : 1
