import type { ReactNode } from 'react'
import { type Around, inLanguage, numberLocale } from './language.ts'

const en = {
  anchorRail: {
    anchorsNewestAtTheRight: 'Anchors, newest at the right',
    onChainName: ({ chainName }: { chainName: string }) => `on ${chainName}`,
    eachSealIsDrawn: 'Each seal is drawn from its root. Every root covers all entries of the ones before it.',
    entries: 'entries',
    next: 'Next',
    waiting: 'waiting',
    nothingWaits: 'nothing waits',
  },
  anchorTable: {
    newestAnchors: 'Newest anchors',
    inAll: ({ anchors }: { anchors: number }) => `${anchors.toLocaleString(numberLocale)} in all`,
    anchorsCantBeReadRight: 'The anchors can’t be read right now.',
    noAnchorYetTheFirst: 'No anchor yet. The first one comes seconds after the first entry, and will be listed here.',
    caption: 'The newest anchors',
    entries: 'Entries',
    root: 'Root',
    transaction: 'Transaction',
    block: 'Block',
    blockTime: ({ zone }: { zone: ReactNode }) => <>Block time {zone}</>,
  },
  checkpointPanel: {
    newestCheckpoint: 'Newest checkpoint',
    copyCheckpoint: 'Copy checkpoint',
    signedNoteInTheForm: 'A signed note in the form that other transparency logs use too (C2SP tlog-checkpoint).',
    checkpointCantBeReadRight: 'The checkpoint can’t be read right now.',
    log: 'Log',
    entries: 'Entries',
    root: 'Root',
    signedBy: 'Signed by',
  },
  keyTable: {
    signingKeys: 'Signing keys',
    eachNamedByTheOne: 'Each named by the one before',
    keysCantBeReadRight: 'The keys can’t be read right now.',
    noKeyListYet: 'No key list yet. It is the first entry of the log.',
    signingKeysAndTheEntries: 'Signing keys and the entries that they may sign',
    signer: 'Signer',
    checkpointKeyEd25519: 'Checkpoint key (Ed25519)',
    signsEntries: 'Signs entries',
    state: 'State',
    fromOn: ({ from }: { from: string }) => `from ${from} on`,
    fromTo: ({ from, untilIndex }: { from: string; untilIndex: number }) =>
      `${from} to #${untilIndex.toLocaleString(numberLocale)}`,
    signsNow: 'Signs now',
    replaced: 'Replaced',
    firstSigner: ', first signer',
  },
  logSizes: {
    entries: 'Entries',
    anchored: 'Anchored',
    inAnchors: ({ count }: { count: number }) =>
      `in ${count.toLocaleString(numberLocale)} ${count === 1 ? 'anchor' : 'anchors'}`,
    waiting: 'Waiting',
    gaps: 'Gaps',
    allCounted: ({ entriesStored }: { entriesStored: string }) => `all ${entriesStored} counted`,
    indexesWithoutAnEntry: 'indexes without an entry',
    none: 'None',
    medianToAnchor: 'Median to anchor',
    ninetyFiveOf100Within: '95 of 100 within',
    nothingWaits: 'nothing waits',
    oldestSince: ({ age }: { age: string }) => `oldest since ${age}`,
    noneMeasuredYet: 'none measured yet',
    inThirtyDays: ({ count }: { count: number }) =>
      `${count.toLocaleString(numberLocale)} ${count === 1 ? 'entry' : 'entries'}, 30 days`,
    alerts: ({ count }: { count: number }) =>
      `${count.toLocaleString(numberLocale)} public ${count === 1 ? 'alert' : 'alerts'}`,
    corrections: ({ count }: { count: number }) =>
      `${count.toLocaleString(numberLocale)} ${count === 1 ? 'correction' : 'corrections'}`,
    retractions: ({ count }: { count: number }) =>
      `${count.toLocaleString(numberLocale)} ${count === 1 ? 'retraction' : 'retractions'}`,
    keyLists: ({ count }: { count: number }) =>
      `${count.toLocaleString(numberLocale)} ${count === 1 ? 'key list' : 'key lists'}`,
    heartbeats: ({ count }: { count: number }) =>
      `${count.toLocaleString(numberLocale)} ${count === 1 ? 'heartbeat' : 'heartbeats'} while nothing else was logged`,
    succession: 'a note on the former log',
  },
  logState: {
    current: 'Current',
    anchoringIsDelayed: 'Anchoring is delayed',
    stopped: 'Stopped',
    notAnswering: 'Not answering',
    readingTheLog: 'Reading the log…',
    figuresBelowAreTheLast: 'Figures below are the last ones.',
    noEntryYetTheFirst: 'No entry yet. The first one will appear here.',
    firstAnchorIsStill: 'The first anchor is still to come.',
    newestAnchor: ({ lastAnchoredAt }: { lastAnchoredAt: ReactNode }) => <>Newest anchor: {lastAnchoredAt}</>,
    readSAgo: ({ seconds }: { seconds: number }) => `read ${seconds} s ago`,
  },
  seenCheckpoint: {
    itHadEntries: ({ before, now }: { before: string; now: string }) =>
      `It had ${before} entries when you last checked it, now it shows ${now}.`,
    atEntriesItShowsAnother: ({ size }: { size: string }) =>
      `At ${size} entries it shows another root than the one you checked.`,
  },
  selfCheck: {
    checkItYourself: 'Check it yourself',
    thisBrowsersCheckHasFailed: 'This browser’s check has failed, see below.',
    checking: 'Checking…',
    checkInThisBrowser: 'Check in this browser',
    chainWasNotAsked: 'The chain was not asked.',
    chainByTheWordOf: ({ rpcUrl }: { rpcUrl: string }) => `The chain was asked through ${rpcUrl}.`,
    nothingIsKept: 'Nothing is kept in this browser yet.',
    lastCheckedHere: ({ seenAt }: { seenAt: ReactNode }) => <>Last checked here {seenAt}.</>,
    keys: 'Keys',
    doesEveryKeyFollow: 'Does every key follow from the first signer?',
    checkpoint: 'Checkpoint',
    didTheValidKeySign: 'Did the valid key sign it?',
    sinceYouWereHere: 'Since you were here',
    doesTheLogBegin: 'Does the log begin with what you last saw?',
    againstTheChain: 'Against the chain',
    doesItBegin: 'Does it begin with what is anchored?',
    verified: 'Verified',
    failed: 'Failed',
    notYet: 'Not yet',
    cannotCheck: 'Cannot check',
    thisIsNotTheLog: 'This is not the log that you checked',
    dontRely: ({ words }: { words: string }) =>
      `${words} Don’t rely on what this site shows. Keep the signed checkpoints: they are the evidence.`,
    copyTheEvidence: 'Copy the evidence',
  },
  transparencyPage: {
    transparency: 'Transparency',
    oneLogForEverybody: 'One log, the same for everybody',
    everyAlertCorrection:
      'Every alert, correction, retraction and key is an entry. What is added can never be changed or taken out again without it showing. Here is how to see for yourself.',
    logCantBeReadRight: 'The log can’t be read right now. What is anchored stays on the chain.',
    tryAgain: 'Try again',
  },
  useLogCheck: {
    thisSiteDidNotAnswer: 'This site did not answer. What you have checked before stays as it was.',
  },
  waysToVerify: {
    threeWaysToCheck: 'Three ways to check',
    eachNeedsLessOfUs: 'Each needs less of us than the one before.',
    inThisBrowser: 'In this browser',
    buttonAboveChecksTheLog: ({ verification }: { verification: Around }) => (
      <>
        The button above checks the log. For one alert, open its proof file on the {verification('verification page')}:
        six checks, made by your browser, which asks nobody but the chain.
      </>
    ),
    onTheCommandLine: 'On the command line',
    fromACheckout: 'From a checkout of the source. One alert by its proof file, or the whole log, entry by entry:',
    withNothingOfOurs: 'With nothing of ours',
    logSpeaksRfc6962:
      'The log speaks RFC 6962 and C2SP. Ask it for a checkpoint, and the chain for the root of its anchor:',
  },
}

export const transparencyTexts = inLanguage({ en })
