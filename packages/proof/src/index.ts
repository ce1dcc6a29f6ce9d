export { type AlertStatement, decodeAlert, encodeAlert, parseAlert } from './alert.ts'
export { type Address, bytesToHex, checksumAddress, type Hex, hexToBytes } from './hex.ts'
export { addressOfKey, recoverSigner, signDigest } from './signature.ts'
export {
  appendLeaf,
  consistencyProof,
  consistencyProofNodeIds,
  emptyFrontier,
  type Frontier,
  frontierNodeIds,
  frontierRoot,
  hashLeaf,
  hashNode,
  inclusionProof,
  inclusionProofNodeIds,
  type NodeId,
  rootOfLeaves,
} from './tree.ts'
export {
  type ConsistencyClaim,
  climbInclusion,
  type InclusionClaim,
  type InclusionStep,
  rootFromInclusion,
  verifyConsistency,
  verifyInclusion,
} from './tree-proof.ts'
export { alertTypedMessage, alertTypes, hashAlert, type ProofDomain } from './typed-data.ts'
export {
  type AnchorEvidence,
  type Check,
  type CheckId,
  type ClaimedAlert,
  type SignedAlert,
  type Verification,
  verifyAlert,
} from './verify.ts'
