// These exports are separate from the stream, because they contain the cryptography.
export {
  type Check,
  type LogTrust,
  type ProofBundle,
  parseBundle,
  type Rpc,
  type Verification,
  verifyBundle,
} from '@tocsin/proof'
