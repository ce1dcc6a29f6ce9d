// Separate from the stream, because it contains the cryptography.
export {
  type Check,
  type LogTrust,
  type ProofBundle,
  parseBundle,
  type Rpc,
  type Verification,
  verifyBundle,
} from '@tocsin/proof'
