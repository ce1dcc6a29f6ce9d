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

const decodeBase64 = (text: string | null) => Uint8Array.from(Buffer.from(text ?? '', 'base64'))

function readProbes<Kind>(folder: string, file: string): Kind[] {
  return JSON.parse(readFileSync(join(folder, file), 'utf8')).probes
}

function isIncluded(probe: InclusionProbe): boolean {
  return verifyInclusion({
    leafHash: decodeBase64(probe.leafHash),
    index: probe.leafIdx,
    size: probe.treeSize,
    path: (probe.proof ?? []).map(decodeBase64),
    root: decodeBase64(probe.root),
  })
}

function isConsistent(probe: ConsistencyProbe): boolean {
  return verifyConsistency({
    oldSize: probe.size1,
    newSize: probe.size2,
    oldRoot: decodeBase64(probe.root1),
    newRoot: decodeBase64(probe.root2),
    path: (probe.proof ?? []).map(decodeBase64),
  })
}

function countWrongProbes<Kind extends Probe>(
  name: string,
  probes: Kind[],
  isAccepted: (probe: Kind) => boolean,
): number {
  const wrongProbes = probes.filter((probe) => isAccepted(probe) === probe.wantErr)
  for (const { desc, wantErr } of wrongProbes)
    console.error(`${name}: "${desc}" should be ${wantErr ? 'refused' : 'accepted'}`)
  console.log(`${name}: ${probes.length - wrongProbes.length} of ${probes.length} as expected`)
  return wrongProbes.length
}

const folder = process.argv[2]
if (!folder) throw new Error('Usage: merkle-probes.ts <folder>')
const wrongCount =
  countWrongProbes('inclusion', readProbes<InclusionProbe>(folder, 'inclusion_probes.json'), isIncluded) +
  countWrongProbes('consistency', readProbes<ConsistencyProbe>(folder, 'consistency_probes.json'), isConsistent)
process.exitCode = wrongCount === 0 ? 0 : 1
