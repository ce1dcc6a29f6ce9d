import { inLanguage, numberLocale } from './language.ts'

const en = {
  checkLog: {
    anchorChain: 'The anchor chain could not be asked',
    needsACheckpointWhose: 'Needs a checkpoint whose signature is good',
    keysEachNamed: ({ count }: { count: number }) =>
      `${count.toLocaleString(numberLocale)} keys, each named by the one before, back to the first signer`,
    firstSigner: 'The first signer is the only key there was',
    newestListIsNotAnchored: ({ words }: { words: string }) => `${words}; the newest list is not anchored yet`,
    needsAKeyList: 'Needs a key list that is good',
    sizeSignedByTheKey: ({ size }: { size: string }) => `Size ${size}, signed by the key that is valid there`,
    nothingIsKept: 'Nothing is kept in this browser yet. This checkpoint is, from now on',
    keptCheckpointDoesNotCheck: ({ error }: { error: string }) =>
      `The kept checkpoint does not check against these keys: ${error}`,
    logHadWhenYouSaw: ({ size, size2 }: { size: string; size2: string }) =>
      `The log had ${size} when you last saw it, now it shows ${size2}`,
    whatIsShownNow: ({ size, root }: { size: string; root: string }) =>
      `What is shown now does not begin with the ${size} of root ${root}`,
    sameAsYouSawLast: ({ size }: { size: string }) => `The same ${size} that you last saw`,
    begins: ({ size, size2 }: { size: string; size2: string }) =>
      `Begins with the ${size} that you last saw, and adds ${size2}`,
    nothingOfThisLog: 'Nothing of this log is anchored yet',
    chainHoldsNoAnchor: ({ transactionHash }: { transactionHash: string }) =>
      `The chain holds no anchor of this contract in ${transactionHash}`,
    anchoringTransaction: 'The anchoring transaction was reverted',
    chainsAnchor: ({ size, size2 }: { size: string; size2: string }) =>
      `The chain’s anchor covers ${size}, the site says ${size2}`,
    whatIsShownNowDoes: ({ root }: { root: string }) =>
      `What is shown now does not begin with what the chain holds, root ${root}`,
    blockBlockNumber: ({ blockNumber }: { blockNumber: number }) => `block ${blockNumber.toLocaleString(numberLocale)}`,
    beginsWith: ({ size, block }: { size: string; block: string }) =>
      `Begins with the ${size} that the chain has held since ${block}`,
    entries: ({ count }: { count: number }) =>
      `${count.toLocaleString(numberLocale)} ${count === 1 ? 'entry' : 'entries'}`,
    itIsMalformed: 'It is malformed',
  },
  chainRpc: {
    nodeCouldNotBeAsked: 'The node could not be asked.',
    noId: 'no id',
    nodeDidNotAnswerWithin: ({ seconds }: { seconds: number }) => `The node did not answer within ${seconds} seconds.`,
    thisNodeDoesNotLet: 'This node does not let web pages read its answers (CORS). Choose another one.',
    nothingAnswers: 'Nothing answers at this address.',
    noReasonGiven: 'no reason given',
  },
}

export const proofChecksTexts = inLanguage({ en })
