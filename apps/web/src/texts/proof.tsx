import type { ReactNode } from 'react'
import { inLanguage, numberLocale } from './language.ts'

const en = {
  checkElsewhere: {
    checkItWithoutUs: 'Check it without us',
    inACheckout:
      'In a checkout of the source. Needs the file and the chain, not this site. The addresses are this site’s: compare them with a source that you trust.',
    proofFileOfAnAlert: 'The proof file of an alert is offered here.',
  },
  checksPanel: {
    verified: 'Verified',
    failed: 'Failed',
    notRun: 'Not run',
    notYetAnchored: 'Not yet anchored',
    cannotCheck: 'Cannot check',
    notProven: 'Not proven',
    isTheContent: 'Is the content what was logged?',
    didThePublishedKeySign: 'Did the published key sign it?',
    doesItsPathLead: 'Does its path lead to the root?',
    doesTheChainHold: 'Does the chain hold that root?',
    didTheTransactionSucceed: 'Did the transaction succeed?',
    isTheBlocksTimeAfter: 'Is the block’s time after the alert’s?',
    asking: 'Asking…',
    sixChecks: 'Six checks',
    needsStepFirst: ({ failedStep }: { failedStep: number }) => `Needs step ${failedStep} first`,
  },
  chooseAlertDialog: {
    chooseAnAlert: 'Choose an alert',
    itsJsonSignature: 'Its JSON, signature and transaction fill the form.',
    loadingAlerts: 'Loading alerts',
    failedToFetchAlerts: 'Failed to fetch alerts',
    tryAgain: 'Try again',
    noAlertsYet: 'No alerts yet',
    alertsThatYouCanCheck: 'Alerts that you can check appear here.',
    searchAlerts: 'Search alerts',
    search: 'Search',
    noAlertsMatchSearch: 'No alerts match. Search for fewer words.',
    newestOf: ({ shownChoices, found }: { shownChoices: number; found: number }) =>
      `The newest ${shownChoices} of ${found.toLocaleString(numberLocale)}`,
    inAll: ({ found }: { found: number }) => `${found} in all`,
    lockedNeedsAPlan: 'Locked: needs a plan',
  },
  claim: {
    signatureIsTooLong: 'The signature is too long',
    transactionIsTooLong: 'The transaction is too long',
    signatureIsMissing: 'The signature is missing',
    transactionIsMissing: 'The transaction is missing',
    alertJsonIsMissing: 'The alert JSON is missing',
    alertIsNotValidJson: ({ problem }: { problem: string }) => `The alert is not valid JSON: ${problem}`,
    alertJsonMustBeOne: 'The alert JSON must be one alert: an object in braces',
    proofFileCantBeUsed: ({ why }: { why: string }) => `The proof file can’t be used. ${why}`,
    itIsMalformed: 'It is malformed',
    inTheAlertJson: ({ issues }: { issues: string }) => `In the alert JSON, ${issues}`,
    itCantBeRead: 'it can’t be read',
    text: 'text',
    number: 'a number',
    list: 'a list',
    isTooLong: ({ name }: { name: string }) => `${name} is too long`,
    isMissing: ({ name }: { name: string }) => `${name} is missing`,
    isMalformed: ({ name }: { name: string }) => `${name} is malformed`,
    mustBe: ({ name, expected }: { name: string; expected: string }) => `${name} must be ${expected}`,
    andMore: ({ rest }: { rest: number }) => ` and ${rest} more`,
  },
  fileDrop: {
    files: 'Files',
  },
  ladderPanel: {
    visual: 'Visual',
    table: 'Table',
    merkleLadder: 'Merkle ladder',
    formOfThePath: 'Form of the path',
    thereIsNoWayUp: 'There is no way up to show: a check before it failed, or the path does not fit the tree.',
    wayFromTheAlertsLeaf:
      'The way from the alert’s leaf up to the root, its transaction and its block will be drawn here.',
    byTheServer: 'by the server',
    inThisBrowser: 'in this browser',
    inThisBrowserAll: ({ tookMs }: { tookMs: number }) =>
      `in this browser, all in ${tookMs.toLocaleString(numberLocale)} ms`,
    isNotThePublishedRoot: ({ where }: { where: string }) => `Recomputed ${where}: the root is not the published one`,
    isNotAnchoredYet: ({ where }: { where: string }) => `Recomputed ${where}: not anchored yet`,
    rungRecomputed: ({ count, where }: { count: number; where: string }) =>
      `${count} ${count === 1 ? 'rung' : 'rungs'} recomputed ${where}`,
  },
  pathTable: {
    merklePathFromTheLeaf: 'Merkle path from the leaf to the root',
    rung: 'Rung',
    sibling: 'Sibling',
    side: 'Side',
    hash: 'Hash',
    leaf: 'Leaf',
    recomputed: 'Recomputed',
    published: 'Published',
    root: 'Root',
    pathAsJson: 'The path as JSON',
    copyThePathAsJson: 'Copy the path as JSON',
  },
  proofFile: {
    thisFileIsOver1: 'This file is over 1 MB: no proof is that large.',
    fileCantBeRead: 'The file can’t be read as text.',
  },
  proofWorker: {
    checkBrokeOff: 'The check was interrupted.',
  },
  receiptFacts: {
    plan: 'Plan',
    from: 'From',
    to: 'To',
    itoBy: ({ amount }: { amount: string }) => `${amount} ITO by`,
    toTheTreasury: 'To the treasury',
  },
  receiptPanel: {
    receipt: 'A receipt',
    whatWasPaid:
      'What was paid for which time is signed with the key of the alerts. This browser checks it against the chains alone.',
    openAReceiptOrDrop: 'Open a receipt, or drop it here',
    nodeOfChain: ({ chainId }: { chainId: number }) => `Node of chain ${chainId}, where it was paid`,
    checking: 'Checking…',
    checkTheReceipt: 'Check the receipt',
    itIsNotJson: 'It is not JSON.',
    thisFileCantBeUsed: ({ why }: { why: string }) => `This file can’t be used as a receipt. ${why}`,
    receiptCouldNotBeChecked: 'The receipt could not be checked.',
  },
  receiptVerdict: {
    content: 'Content',
    signature: 'Signature',
    payment: 'Payment',
    verified: 'Verified',
    failed: 'Failed',
    cannotCheckNow: 'Cannot check now',
  },
  toastFailure: {
    verificationFailed: 'Verification Failed',
    alertSignature: 'The alert signature could not be verified',
    failedStep: ({ failedStep, stepNames }: { failedStep: number | null; stepNames: string }) => (
      <>
        Step {failedStep}, {stepNames}
      </>
    ),
    foundByThisBrowser: ', found by this browser',
  },
  trustSection: {
    thisSiteServesThatNode: 'This site serves that node itself. Enter another one to be independent of it.',
    thisSiteNamesNoNode: ({ chainName }: { chainName: string }) =>
      `This site names no node. Any of ${chainName} will do.`,
    nodeOfKept: ({ chainName }: { chainName: string }) => `A node of ${chainName}. Kept in this browser.`,
    chainReadsGoTo: 'Chain reads go to',
    useThisSites: 'Use this site’s',
    thisSiteNowNamesAnother: 'This site now names another log than the one you trust',
    youEnteredOtherValues: ({ isOwn }: { isOwn: boolean }) =>
      `${isOwn ? 'You entered other values.' : 'It named these at your first check.'} Checks keep to yours. Accept the site’s only if you know from elsewhere why they changed.`,
    trustWhatTheSiteNames: 'Trust what the site names',
    whatYouTrust: 'What you trust',
    keep: 'Keep',
    change: 'Change',
    firstSigner: 'First signer',
    anchorContract: 'Anchor contract',
    chain: 'Chain',
    enteredByYou: 'Entered by you. ',
    namedByThisSite: 'Named by this site, and held to from your first check on. ',
    heldToSince: ({ since }: { since: ReactNode }) => <>Held to since {since}. </>,
    allLaterKeysMustFollow: 'All later keys must follow from the first one.',
    chainId: 'Chain ID',
    trustThese: 'Trust these',
  },
  useChecks: {
    alertCouldNotBeChecked: 'The alert could not be checked. Please try again.',
    copyLacks: ({ fields }: { fields: string }) =>
      `This browser cannot recompute it: the copy lacks ${fields}, and there is no alert with this id that you may read.`,
    verificationError: 'Verification Error',
  },
  verdictPanel: {
    checking: 'Checking…',
    recomputing: 'Recomputing…',
    serverChecksIt: 'The server checks it.',
    thisBrowserChecksIt: 'This browser checks it.',
    cannotCheckNow: 'Cannot check now',
    unverified: 'Unverified',
    pasteAnAlertOrChoose: 'Paste an alert, or choose one of yours: its verdict will appear here.',
    issued: 'Issued',
    anchorClaimed: 'Anchor claimed',
    inBlock: 'In block',
    notYet: 'not yet',
    confidence: 'Confidence',
    regime: 'Regime',
    formHasChangedSince: 'The form has changed since: this verdict is about what it held before.',
    itTrustedTheFirstSigner: ({
      firstSigner,
      verifyingContract,
      chainId,
    }: {
      firstSigner: ReactNode
      verifyingContract: ReactNode
      chainId: ReactNode
    }) => (
      <>
        {' '}
        It trusted the first signer {firstSigner} and the contract {verifyingContract} on chain {chainId}.
      </>
    ),
  },
  verificationPage: {
    verification: 'Verification',
    sixChecksAgainst: 'Six checks against the published keys and the chain, by the server or by this browser alone.',
    whatThisBrowserGoesBy: 'What this browser goes by',
  },
  verifyClaim: {
    alertSaysItWasAnchored: ({ anchoredAt, chainTime }: { anchoredAt: string | null; chainTime: string | null }) =>
      `The alert says it was anchored at ${anchoredAt ?? 'no time yet'}, the block says ${chainTime}`,
  },
  verifyForm: {
    fileNotRead: 'File Not Read',
    verifyAnAlert: 'Verify an alert',
    chooseFromMyAlerts: 'Choose from my alerts',
    alertOfThisLink: 'The alert of this link is not among those that you can read. Paste it here, or choose another.',
    alertJson: 'Alert JSON',
    bytesCount: ({ count }: { count: number }) => `${count.toLocaleString(numberLocale)} bytes`,
    openAProofFile: 'Open a proof file, or drop it here',
    signature: 'Signature',
    transaction: 'Transaction',
    avalancheTx: 'avalancheTx',
    verifying: 'Verifying…',
    verifyAlert: 'Verify alert',
    clear: 'Clear',
    recomputing: 'Recomputing…',
    recomputeInThisBrowser: 'Recompute in this browser',
    allThreeFieldsAreNeeded: 'All three fields are needed. Recomputing asks nobody but the chain.',
    missingInformation: 'Missing Information',
  },
}

export const proofTexts = inLanguage({ en })
