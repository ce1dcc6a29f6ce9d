// Separate from the stream, so that programs that only read alerts do not load the cryptography.
export {
  type Check,
  type LogTrust,
  type ProofBundle,
  parseBundle,
  type Rpc,
  type Verification,
  verifyBundle,
} from '@tocsin/proof'
