import { inLanguage } from './language.ts'

const en = {
  alertWords: {
    anchoredOnTheChain: 'Anchored on the chain',
    anchoredWithinASecond: 'Anchored within a second of issue',
    anchoredAfterIssue: ({ delay }: { delay: string }) => `Anchored ${delay} after issue`,
    signedAnchoring: 'Signed, anchoring…',
  },
  rpcUrl: {
    enterTheAddress: 'Enter the address of a node, starting with https://',
    thisIsNoWebAddress: 'This is not a web address. It starts with https://',
    leaveNameAndPassword: 'Leave name and password out of the address',
    onlyHttpsWorksOrHttp: 'Only https:// works, or http:// to this machine (localhost, 127.0.0.1)',
    noNodeToAsk: ({ problem }: { problem: string }) => `No node of the chain to ask. ${problem}.`,
  },
  verdict: {
    payloadHash: 'Payload hash',
    signature: 'Signature',
    merklePath: 'Merkle path',
    rootOnChain: 'Root on chain',
    transaction: 'Transaction',
    blockTime: 'Block time',
    contentIsAnother: 'The content is not what the log holds.',
    publishedKeyDidNotSign: 'The published key did not sign this content.',
    merklePathDoesNotLead: 'The Merkle path does not lead to the anchored root.',
    chainDoesNotHold: 'The chain does not hold this root.',
    anchoringTransactionDid: 'The anchoring transaction did not succeed.',
    blocksTimeDoesNotFit: 'The block’s time does not fit the alert.',
    verified: 'Verified',
    timeOfIssueNotProven: 'Time of issue not proven',
    anchoredTooLate: 'The rest is right, but the anchor came too late to prove when the alert was issued.',
    notYetAnchored: 'Not yet anchored',
    contentAndSignature: 'Content and signature are right. The anchor on the chain is still to come.',
    cannotCheckNow: 'Cannot check now',
    whatCouldBeChecked: ({ silence }: { silence: string }) =>
      `${silence} What could be checked is right; try again in a moment.`,
    failedAtStep: ({ failedStep }: { failedStep: number }) => `Failed at step ${failedStep}`,
    doNotAct: ({ failure }: { failure: string }) => `${failure} Do not act on this copy.`,
    anchorChainDidNotAnswer: 'The anchor chain did not answer.',
    alertCouldNotBeVerified: 'The alert could not be verified.',
    checkedByThisSitesServer: 'Checked by this site’s server.',
    recomputedInThisBrowserNow: 'Recomputed in this browser. Now the chain is asked.',
    recomputedInThisBrowser: ({ chain, site }: { chain: string; site: string }) =>
      `Recomputed in this browser. ${chain} ${site}`,
    chainDid: 'The chain did not have to be asked.',
    askedAloneTime: ({ rpcUrl, requests }: { rpcUrl: string; requests: number }) =>
      `Asked ${rpcUrl} alone, ${requests} ${requests === 1 ? 'time' : 'times'}.`,
    thatNodeIsServed: 'That node is served by this site: enter another one to be independent of it.',
    noRequestOfTheCheck: 'No request of the check went to this site’s server.',
    keyListsHadBeenFetched: ({ silence }: { silence: string }) =>
      `${silence} The key lists had been fetched from it before.`,
    passedFailed: ({ passed, failed }: { passed: number; failed: number }) => `${passed} passed, ${failed} failed`,
    passedOf: ({ passed, all }: { passed: number; all: number }) => `${passed} of ${all}`,
  },
}

export const proofWordsTexts = inLanguage({ en })
