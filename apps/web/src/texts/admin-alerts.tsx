import type { ReactNode } from 'react'
import { inLanguage, numberLocale } from './language.ts'

const en = {
  alertHistory: {
    alertHistory: 'Alert History',
    whichPriority: 'Which priority',
    searchAlerts: 'Search alerts',
    search: 'Search',
    allPriorities: 'All priorities',
    loadingAlerts: 'Loading alerts',
    failedToFetchAlerts: 'Failed to fetch alerts',
    noAlertsMatch: 'No alerts match',
    clearSearchAndFilter: 'Clear search and filter',
    searchForFewerWords: 'Search for fewer words, or for all priorities.',
    noAlertsGeneratedYet: 'No alerts generated yet',
    whatYouCreateAppearsHere: 'What you create and what the feed sends appears here.',
    showingOfNewestFirst: ({ shown, matching }: { shown: number; matching: number }) =>
      `Showing ${shown.toLocaleString(numberLocale)} of ${matching.toLocaleString(numberLocale)}, newest first. `,
    sendingAgainShowsEachId: 'Sending again shows each id once.',
    alertsNewestFirst: 'Alerts, newest first',
  },
  alertPreview: {
    asReadersWillSeeIt: 'As readers will see it',
  },
  broadcastButton: {
    sentToAllConnectedClients: ({ logIndex }: { logIndex: string }) => `${logIndex} sent to all connected clients`,
    alertBroadcasted: 'Alert Broadcasted',
    failedToBroadcastAlert: 'Failed to broadcast alert. Please try again.',
    error: 'Error',
    sent: 'Sent',
    broadcast: 'Broadcast',
    broadcastAgain: 'Broadcast again',
    broadcastLogIndex: ({ logIndex }: { logIndex: string }) => `Broadcast ${logIndex}`,
    broadcastLogIndexAgain: ({ logIndex }: { logIndex: string }) => `Broadcast ${logIndex} again`,
    sentBefore: ({ count, last }: { count: number; last: ReactNode }) => (
      <>
        Sent {timesWords(count)}, {count > 1 && 'last '}
        {last}. It goes out again at once, to everybody who is connected now; whoever has it already is not told a
        second time.
      </>
    ),
    sending: 'Sending…',
  },
  broadcastDialog: {
    typeToSendIt: ({ typedWord }: { typedWord: string }) => `Type ${typedWord} to send it`,
    itGoesOutAtOnce: 'It goes out at once. It can be corrected or retracted later, but not unseen.',
    typeToConfirm: ({ typedWord }: { typedWord: string }) => `Type ${typedWord} to confirm`,
    connectedClients: 'Connected clients',
    mayReadIt: 'May read it',
    unknown: 'Unknown',
  },
  contentFields: {
    asset: 'Asset',
    ethUsdt: 'ETH/USDT',
    anomalyType: 'Anomaly type',
    optional: 'Optional',
    confidence: 'Confidence',
    zeroTo100: '0 to 100',
    regime: 'Regime',
  },
  correctDialog: {
    correctLogIndex: ({ logIndex }: { logIndex: string }) => `Correct ${logIndex}`,
    correctionIsAnAlert:
      'A correction is an alert of its own, in full. The old one stays in the log, marked as corrected.',
    corrects: ({ newNumber, oldNumber }: { newNumber: string; oldNumber: string }) =>
      `${newNumber} corrects ${oldNumber}.`,
    alertCorrected: 'Alert Corrected',
    failedToCorrectAlertPlease: 'Failed to correct alert. Please try again.',
    error: 'Error',
    correction: 'correction',
    neitherCanBeEdited: 'Neither can be edited or taken out afterwards.',
    correcting: 'Correcting…',
    whatChanges: 'What changes',
    nothingYet: 'Nothing yet.',
  },
  correctedAlert: {
    asset: 'Asset',
    anomalyType: 'Anomaly type',
    confidence: 'Confidence',
    regime: 'Regime',
    priority: 'Priority',
    summary: 'Summary',
    changeSomething: 'Change something: this is what the alert says already',
    sayWhyTheReason: 'Say why: the reason is shown with the alert for ever',
    atMostCharacters: ({ summaryMaxLength }: { summaryMaxLength: number }) =>
      `At most ${summaryMaxLength.toLocaleString(numberLocale)} characters`,
    typeToRetractIt: ({ logIndex }: { logIndex: number }) => `Type ${logIndex} to retract it`,
  },
  createAlertFields: {
    summary: 'Summary',
    priority: 'Priority',
    broadcastImmediately: 'Broadcast immediately',
    serverAddsIt: ({ children }: { children: ReactNode }) => (
      <>The server signs it, adds it to the log and anchors it. {children}</>
    ),
    serverAddsItAs: ({ number, children }: { number: string; children: ReactNode }) => (
      <>
        The server signs it, adds it to the log as {number} and anchors it. {children}
      </>
    ),
  },
  createAlertForm: {
    alertCreated: 'Alert Created',
    failedToCreateAlertPlease: 'Failed to create alert. Please try again.',
    error: 'Error',
    createAlert: 'Create Alert',
    alert: 'alert',
    alertCantBeEdited: 'An alert can’t be edited afterwards.',
    creating: 'Creating…',
    sendACriticalAlert: 'Send a critical alert',
    createAndBroadcast: 'Create and broadcast',
    newMarketAlert: 'New market alert has been created and broadcasted.',
    newMarketAlertHas: 'New market alert has been created. It was not broadcast.',
    validationError: 'Validation Error',
    pleaseFillInAllRequired: 'Please fill in all required fields.',
  },
  historyRow: {
    confidence: 'Confidence',
    regime: 'Regime',
    type: 'Type',
    notBroadcast: 'Not broadcast',
    broadcast: 'Broadcast',
    broadcastTimes: ({ count }: { count: number }) => `Broadcast ${timesWords(count)}`,
    repeatedOnce: 'Repeated once',
    repeatedTimes: ({ repeats }: { repeats: number }) => `Repeated ${repeats.toLocaleString(numberLocale)} times`,
    cameLate: 'Came late',
    last: 'last',
    seen: 'seen',
  },
  newAlert: {
    enterANumberFrom0: 'Enter a number from 0 to 100',
    oneDecimalPlace: 'Use at most one decimal place, for example 94.2',
    enterAnAsset: 'Enter an asset',
    atMost40Characters: 'At most 40 characters',
    atMost80Characters: 'At most 80 characters',
    enterASummary: 'Enter a summary',
    atMostCharacters: ({ summaryMaxLength }: { summaryMaxLength: number }) =>
      `At most ${summaryMaxLength.toLocaleString(numberLocale)} characters`,
    volumeSpike: 'Volume spike',
    fundingFlip: 'Funding flip',
    bookImbalance: 'Book imbalance',
    correlationBreak: 'Correlation break',
    openInterestJump: 'Open interest jump',
    highVolatility: 'High volatility',
    lowVolatility: 'Low volatility',
    trending: 'Trending',
    range: 'Range',
  },
  recipients: {
    reaches: ({ connected, entitled }: { connected: number; entitled: number }) => {
      const clients = `${connected.toLocaleString(numberLocale)} connected ${connected === 1 ? 'client' : 'clients'}`
      const accounts = `${entitled.toLocaleString(numberLocale)} ${entitled === 1 ? 'account' : 'accounts'}`
      return `to ${clients}; ${accounts} may read it`
    },
  },
  retractDialog: {
    retractLogIndex: ({ logIndex }: { logIndex: string }) => `Retract ${logIndex}`,
    alertStaysInTheLog:
      'The alert stays in the log and its proof stays good, but it no longer stands. Nothing can follow a retraction.',
    retracts: ({ newNumber, oldNumber }: { newNumber: string; oldNumber: string }) =>
      `${newNumber} retracts ${oldNumber}.`,
    alertRetracted: 'Alert Retracted',
    failedToRetractAlertPlease: 'Failed to retract alert. Please try again.',
    error: 'Error',
    reason: 'Reason',
    oneSentenceShown: 'One sentence, shown with the alert wherever it is.',
    retractionCantBeTakenBack: 'A retraction can’t be taken back.',
    typeToConfirm: ({ logIndex }: { logIndex: number }) => `Type ${logIndex} to confirm`,
    retracting: 'Retracting…',
    asReadersWillSeeIt: 'As readers will see it',
    nextEntry: 'the next entry',
    retractedBy: ({ entry, reason }: { entry: string; reason: string }) => `Retracted by ${entry}: ${reason}`,
  },
  reviseButtons: {
    correctNumber: ({ number }: { number: string }) => `Correct ${number}…`,
    correct: 'Correct…',
    retractNumber: ({ number }: { number: string }) => `Retract ${number}…`,
    retract: 'Retract…',
  },
}

function timesWords(count: number): string {
  return count === 1 ? 'once' : `${count.toLocaleString(numberLocale)} times`
}

export const adminAlertsTexts = inLanguage({ en })
