import { inLanguage } from './language.ts'

const en = {
  downloadProof: {
    proofCouldNotBePut: 'The proof could not be put together. Please try again.',
    downloadFailed: 'Download Failed',
    downloadProof: 'Download proof',
  },
  trust: {
    enterTheFirstSigners: 'Enter the first signer’s address',
    enterTheContractsAddress: 'Enter the contract’s address',
    enterTheChainId: 'Enter the chain ID',
  },
  useProofWorker: {
    partOfThisPage: 'The part of this page that does the check could not be loaded. Reload the page.',
    checkWasBrokenOff: 'The check was interrupted.',
  },
}

export const proofSharedTexts = inLanguage({ en })
